import { describe, expect, test } from "vitest";
import { createLogger, Fatal, silentLogger } from "../base/mod.ts";
import { openUserProvider, parseProviderSpec, type TextFile } from "./provider.ts";
import { parseUsers } from "./user_file.ts";
import { formatVerifier, HASH_FORMATS, hashPassword, matches, parseVerifier } from "./verifier.ts";

const noFile = (): TextFile => {
  throw new Error("no file expected");
};

describe("verifiers", () => {
  const secrets = ["secret", "with:colon", "ünïcode 密码", " "];
  for (const format of HASH_FORMATS)
    test(`${format}: hash, print, parse, check`, async () => {
      for (const secret of secrets) {
        const made = await hashPassword(format, secret, { iterations: 100, saltBytes: 16 });
        const text = formatVerifier(made);
        expect(text).not.toContain("=");
        const back = parseVerifier(text);
        expect(back).toEqual(made);
        expect(await matches(back, secret)).toBe(true);
        expect(await matches(back, `${secret}x`)).toBe(false);
        expect(await matches(back, "")).toBe(false);
      }
    });

  test("known answers", async () => {
    // mysql> SELECT PASSWORD('password');  pbkdf2: RFC 7914, section 11; SCRAM: RFC 7677, section 3 ("pencil").
    const mysql = parseVerifier("mysql_native_password:*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
    expect(await matches(mysql, "password")).toBe(true);
    const pbkdf2 = parseVerifier(
      "pbkdf2_sha256:1:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc",
    );
    expect(await matches(pbkdf2, "passwd")).toBe(true);
    const made = await hashPassword("pg_scram_sha256", "pencil", {
      iterations: 4096,
      saltBytes: 16,
      salt: Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"),
    });
    if (made.kind !== "pg_scram_sha256") throw new Error("kind");
    // Server signature of that exchange: HMAC(ServerKey, AuthMessage).
    const message =
      "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    const { createHmac } = await import("node:crypto");
    expect(createHmac("sha256", made.serverKey).update(message).digest("base64")).toBe(
      "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
    );
  });

  test("base64 is read too", () => {
    const hash = Buffer.alloc(32, 7);
    const salt = Buffer.from("salt");
    expect(
      parseVerifier(
        `pbkdf2_sha256:10:${salt.toString("base64")}:${hash.toString("base64").replace("=", "")}`,
      ),
    ).toEqual({ kind: "pbkdf2_sha256", iterations: 10, salt, hash });
  });

  const bad = {
    "no iterations": "pbkdf2_sha256:x:00:00",
    "too many iterations": `pbkdf2_sha256:1000001:00:${"00".repeat(32)}`,
    "short hash": "mysql_native_password:00",
    "not hex": `mysql_native_password:${"zz".repeat(20)}`,
    "missing part": `pg_scram_sha256:4096:00:${"00".repeat(32)}`,
  };
  for (const [name, text] of Object.entries(bad))
    test(`${name} is refused without showing it`, () => {
      expect(() => parseVerifier(text)).toThrow();
      try {
        parseVerifier(text);
      } catch (error) {
        expect(String(error)).not.toContain("zz");
      }
    });
});

describe("user lists", () => {
  test("modes, comments, bad lines", () => {
    const list = parseUsers([
      "# people",
      "",
      "a=1",
      " b:RO = two ",
      "c:WriteOnly=plain:three",
      "d:xx=4",
      "e=5=5",
      "f=",
      "=6",
      "g:readwrite=pbkdf2_sha256:bad",
    ]);
    expect([...list.users.values()].map((e) => [e.user.name, e.user.permission])).toEqual([
      ["a", "read_write"],
      ["b", "read"],
      ["c", "write"],
    ]);
    expect(list.warnings).toHaveLength(5);
    expect(list.warnings.join("\n")).not.toMatch(/5=5|bad/);
    expect(list.users.get("b")!.verifier).toEqual({ kind: "plain", password: "two" });
  });
});

describe("providers", () => {
  test("a list from the command line", async () => {
    const spec = parseProviderSpec("static_user_provider:cmd:a=p,b:ro=q:r");
    const provider = await openUserProvider(spec, noFile, silentLogger);
    expect(await provider.authenticate("a", "p")).toEqual({ name: "a", permission: "read_write" });
    expect(await provider.authenticate("b", "q:r")).toEqual({ name: "b", permission: "read" });
    await expect(provider.authenticate("a", "P")).rejects.toMatchObject({
      code: "password_mismatch",
    });
    await expect(provider.authenticate("A", "p")).rejects.toMatchObject({ code: "user_not_found" });
    await expect(provider.authenticate("__proto__", "p")).rejects.toMatchObject({
      code: "user_not_found",
    });
  });

  test("a slow hash is paid once per password", async () => {
    const made = await hashPassword("pbkdf2_sha256", "p", { iterations: 200_000, saltBytes: 16 });
    const spec = { kind: "list", items: [`a=${formatVerifier(made)}`] } as const;
    const provider = await openUserProvider(spec, noFile, silentLogger);
    const time = async (password: string) => {
      const start = performance.now();
      await provider.authenticate("a", password).catch(() => {});
      return performance.now() - start;
    };
    const first = await time("p");
    expect(await time("p")).toBeLessThan(first / 5);
    expect(await time("wrong")).toBeGreaterThan(first / 5);
  });

  function fakeFile(text: string) {
    let change = () => {};
    const file = {
      path: "users",
      text,
      read: async () => file.text,
      watch: (onChange: () => void) => {
        change = onChange;
        return () => {};
      },
    };
    return {
      file,
      set: (next: string) => {
        file.text = next;
        change();
      },
    };
  }

  test("a watched file: new users come, a bad file keeps the last good list, secrets stay out of the log", async () => {
    const { file, set } = fakeFile("a=hunter2\n");
    const spec = parseProviderSpec("watch_file_user_provider:users");
    const lines: string[] = [];
    const { Writable } = await import("node:stream");
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const logger = createLogger({ level: "trace", destination: sink });
    const provider = await openUserProvider(spec, () => file, logger);
    await provider.authenticate("a", "hunter2");
    set("a=hunter3\nb:ro=hunter4\nbroken=hunter5=hunter6\n");
    await expect
      .poll(() => provider.authenticate("b", "hunter4").catch(() => undefined))
      .toEqual({ name: "b", permission: "read" });
    await expect(provider.authenticate("a", "hunter2")).rejects.toThrow();
    set("# nobody\n");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await provider.authenticate("a", "hunter3");
    await provider.authenticate("a", "hunter9").catch(() => {});
    expect(lines.join("")).toContain("no valid user");
    expect(lines.join("")).not.toMatch(/hunter/);
  });

  const fatal = [
    "static_user_provider:cmd:a",
    "static_user_provider:cmd:",
    "static_user_provider:db:x",
    "ldap:secret",
  ];
  for (const text of fatal)
    test(`${text} stops the start`, async () => {
      const open = async () => openUserProvider(parseProviderSpec(text), noFile, silentLogger);
      await expect(open()).rejects.toBeInstanceOf(Fatal);
      await expect(open()).rejects.not.toThrow(/secret/);
    });

  test("a missing file stops the start", async () => {
    const file: TextFile = {
      path: "gone",
      read: async () => Promise.reject(new Error("ENOENT")),
      watch: () => () => {},
    };
    const spec = parseProviderSpec("static_user_provider:file:gone");
    await expect(openUserProvider(spec, () => file, silentLogger)).rejects.toThrow(/gone/);
  });
});

/** HTTPS: the port speaks nothing else, and a new certificate is taken up without a restart. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestServer } from "./harness/server.ts";

let folder = "";
let server: TestServer;
const cert = () => join(folder, "cert.pem");
const key = () => join(folder, "key.pem");

function makeCertificate(name: string): void {
  const args = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
  ];
  const made = spawnSync("openssl", [...args, "-keyout", key(), "-out", cert()], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`openssl: ${made.error?.message ?? made.stderr}`);
}

/** Status, and the name in the server's certificate. */
function get(path: string): Promise<{ status: number | undefined; name: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = {
      port: server.port,
      host: "127.0.0.1",
      path,
      rejectUnauthorized: false,
      agent: false,
    };
    const sent = request(options, (answer) => {
      const name = (answer.socket as TLSSocket).getPeerCertificate().subject.CN;
      answer.resume().on("end", () => resolve({ status: answer.statusCode, name: String(name) }));
    });
    sent.on("error", reject).end();
  });
}
const name = () =>
  get("/health").then(
    (answer) => answer.name,
    () => undefined,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidemark-tls-"));
  makeCertificate("one");
  const flags = ["--tls-cert-path", cert(), "--tls-key-path", key(), "--tls-watch"];
  server = await TestServer.start({ flags, wait: false });
});
afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

test("queries over TLS; plain HTTP gets no answer", async () => {
  await expect.poll(name, { timeout: 30_000 }).toBe("one");
  expect(await get("/v1/sql?sql=SELECT%201")).toEqual({ status: 200, name: "one" });
  await expect(fetch(`http://127.0.0.1:${server.port}/health`)).rejects.toThrow();
  expect(server.log).toContain(`https://127.0.0.1:${server.port}/dashboard/`);
});

test("a new pair is taken up; a broken one is not", async () => {
  makeCertificate("two");
  await expect.poll(name, { timeout: 10_000 }).toBe("two");
  await writeFile(cert(), "not a certificate");
  await expect.poll(() => server.log, { timeout: 10_000 }).toContain("former certificate stays");
  expect(await name()).toBe("two");
});

// Builds everything into dist/: the AssemblyScript kernels to one .wasm, the TypeScript to JavaScript.
// Skips a step whose inputs have not changed, so that a second start takes no time.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

function files(dir, ending) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
    const path = join(dir, e.name);
    return e.isDirectory() ? files(path, ending) : path.endsWith(ending) ? [path] : [];
  });
}

function stamp(paths) {
  const hash = createHash("sha256");
  for (const path of paths.sort()) hash.update(path).update("\0").update(readFileSync(path));
  return hash.digest("hex");
}

function step(name, inputs, output, run) {
  const mark = join("dist", `.${name}.stamp`);
  const want = stamp(inputs);
  if (existsSync(output) && existsSync(mark) && readFileSync(mark, "utf8") === want) return;
  mkdirSync("dist", { recursive: true });
  process.stderr.write(`building ${name} ...\n`);
  try {
    run();
  } catch {
    // The compiler has said what is wrong.
    process.stderr.write(`building ${name} failed\n`);
    process.exit(1);
  }
  if (!existsSync(output) || statSync(output).size === 0) throw new Error(`${name}: no ${output}`);
  writeFileSync(mark, want);
}

const node = process.execPath;
const quiet = { stdio: ["ignore", "inherit", "inherit"] };
const tsc = (project) =>
  execFileSync(node, ["node_modules/typescript/bin/tsc", "-p", project], quiet);

step(
  "kernels",
  [...files("kernels/assembly", ".ts"), "package-lock.json"],
  "dist/kernels.wasm",
  () =>
    execFileSync(
      node,
      [
        ...[
          "node_modules/assemblyscript/bin/asc.js",
          "kernels/assembly/index.ts",
          "-o",
          "dist/kernels.wasm",
        ],
        ...["-O3", "--noAssert", "--enable", "simd", "--enable", "bulk-memory"],
        ...["--runtime", "stub", "--initialMemory", "64", "--maximumMemory", "65536"],
        // 112: v128 in a signature; none is exported to the host.
        ...["--disableWarning", "112"],
      ],
      quiet,
    ),
);
step(
  "server",
  [
    ...files("src", ".ts"),
    ...files("src", ".cts"),
    ...files("bench", ".ts"),
    ...["tsconfig.json", "tsconfig.build.json", "package-lock.json"],
  ],
  "dist/src/server/main.js",
  () => tsc("tsconfig.build.json"),
);
step("ui", [...files("ui", ""), "tsconfig.json", "package-lock.json"], "dist/ui/main.js", () => {
  tsc("ui/tsconfig.json");
  for (const path of files("ui", "").filter((name) => /\.(html|css|svg)$/.test(name)))
    copyFileSync(path, join("dist", path));
});

// What the server says of itself. Written only when it changed, so that a start touches nothing.
function git(...args) {
  try {
    return execFileSync("git", args, {
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    }).trim();
  } catch {
    return "unknown";
  }
}
const info = JSON.stringify({
  version: JSON.parse(readFileSync("package.json", "utf8")).version,
  commit: git("rev-parse", "--short=12", "HEAD"),
  branch: git("rev-parse", "--abbrev-ref", "HEAD"),
});
const infoFile = "dist/build_info.json";
if (!existsSync(infoFile) || readFileSync(infoFile, "utf8") !== info) writeFileSync(infoFile, info);

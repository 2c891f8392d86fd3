/** The few files the server reads beside its data: configuration, users, certificates, its own page. Never the data home. */
import { readFileSync, statSync, unwatchFile, watchFile } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { TextFile } from "../auth/mod.ts";
import { Fatal, messageOf } from "../base/mod.ts";
import type { TlsFiles } from "../net/mod.ts";
import type { PageFile } from "../protocol/http/mod.ts";

/** Polled, because a watch by the system is lost when an editor or a secret mount replaces the file. */
const WATCH_INTERVAL_MS = 500;

/** Throws Fatal naming what the file is for. */
export function readTextFile(path: string, purpose: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Fatal(`cannot read the ${purpose} ${path}: ${messageOf(error)}`);
  }
}

export function textFile(path: string): TextFile {
  return { path, read: () => readFile(path, "utf8"), watch: (onChange) => watch([path], onChange) };
}

export function readTls(certPath: string, keyPath: string): TlsFiles {
  return {
    cert: Buffer.from(readTextFile(certPath, "certificate")),
    key: Buffer.from(readTextFile(keyPath, "private key")),
  };
}

/** Calls back after any of the files changed; returns how to stop. */
export function watch(paths: readonly string[], onChange: () => void): () => void {
  const listener = (now: { mtimeMs: number; size: number; ino: number }, before: typeof now) => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino)
      onChange();
  };
  for (const path of paths)
    watchFile(path, { interval: WATCH_INTERVAL_MS, persistent: false }, listener);
  return () => {
    for (const path of paths) unwatchFile(path, listener);
  };
}

/** Facts that the build wrote beside the code; a development tree without a build has none. */
export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  readonly branch: string;
}

/** This module is dist/src/server/files.js, or src/server/files.ts under a test. */
const here = (name: string) => new URL(name, import.meta.url);

export function readBuildInfo(): BuildInfo {
  const file = here("../../build_info.json");
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    return { version: "0.0.0", commit: "unknown", branch: "unknown" };
  return JSON.parse(readFileSync(file, "utf8"));
}

export async function readPage(): Promise<PageFile[]> {
  const folder = here("../../ui/");
  const names = (await readdir(folder)).filter((name) => /\.(html|css|js|svg)$/.test(name));
  return Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(new URL(name, folder)) })),
  );
}

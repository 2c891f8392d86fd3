/** Finding and reading the files of a VersionedLog: which checkpoint, which deltas. Never writes or deletes. */
import { Fatal, type Logger, messageOf } from "../base/mod.ts";
import type { ObjectStore } from "./api.ts";
import { SealBroken, unseal } from "./sealed_json.ts";

export interface VersionBody {
  readonly version: number;
  readonly body: unknown;
}

export interface ReadVersions {
  readonly checkpoint: VersionBody | undefined;
  /** The readable-by-name checkpoint before it, 0 if none. */
  readonly checkpointBefore: number;
  /** After the checkpoint, in order, without a gap. */
  readonly deltas: readonly VersionBody[];
  /** Every file by full name. */
  readonly sizes: Map<string, number>;
}

export interface VersionFile {
  readonly name: string;
  readonly version: number;
  readonly kind: "json" | "checkpoint";
}

/** 20 digits hold every version, so that names sort like versions. */
const VERSION_DIGITS = 20;

export function versionName(prefix: string, version: number, kind: VersionFile["kind"]): string {
  return `${prefix}${String(version).padStart(VERSION_DIGITS, "0")}.${kind}`;
}

/** The version files among the names, ascending by version. */
export function listVersions(prefix: string, names: Iterable<string>): VersionFile[] {
  const files: VersionFile[] = [];
  for (const name of names) {
    const match = /^(\d{20})\.(json|checkpoint)$/.exec(name.slice(prefix.length));
    if (!name.startsWith(prefix) || !match) continue;
    files.push({ name, version: Number(match[1]), kind: match[2] as VersionFile["kind"] });
  }
  return files.sort((a, b) => a.version - b.version);
}

/** Reads the newest readable checkpoint and all deltas after it. Throws Fatal when what is left does not join up. */
export async function readVersions(
  store: ObjectStore,
  prefix: string,
  log: Logger | undefined,
): Promise<ReadVersions> {
  const sizes = new Map((await store.list(prefix)).map(({ name, bytes }) => [name, bytes]));
  const files = listVersions(prefix, sizes.keys());
  const checkpoints = files.filter((file) => file.kind === "checkpoint").reverse();
  const promised = await readPointer(store, `${prefix}_last_checkpoint`, sizes, log);

  let checkpoint: VersionBody | undefined;
  let checkpointBefore = 0;
  for (const [index, file] of checkpoints.entries()) {
    try {
      checkpoint = await readFile(store, file);
      checkpointBefore = checkpoints[index + 1]?.version ?? 0;
      break;
    } catch (error) {
      log?.error(
        { file: file.name, error: messageOf(error) },
        "damaged checkpoint: reading the one before it and the deltas since",
      );
      if (!(error instanceof Fatal)) throw error;
    }
  }

  const deltas: VersionBody[] = [];
  let version = checkpoint?.version ?? 0;
  for (const file of files) {
    if (file.kind !== "json" || file.version <= version) continue;
    if (file.version !== version + 1)
      throw new Fatal(
        `${versionName(prefix, version + 1, "json")} is missing: ${file.name} exists and no readable checkpoint covers it`,
      );
    deltas.push(await readFile(store, file));
    version = file.version;
  }
  const newest = Math.max(promised, checkpoints[0]?.version ?? 0);
  if (version < newest)
    throw new Fatal(
      `${prefix}: files lead to version ${version}, but a checkpoint was made at version ${newest}`,
    );
  return { checkpoint, checkpointBefore, deltas, sizes };
}

async function readFile(store: ObjectStore, file: VersionFile): Promise<VersionBody> {
  const bytes = await store.get(file.name);
  const kind = file.kind === "json" ? "delta" : "checkpoint";
  try {
    return { version: file.version, body: unseal(bytes, kind, file.version) };
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new Fatal(`${file.name} is damaged: ${error.message}`, { cause: error });
  }
}

/** The version that the pointer promises, 0 without a readable pointer. It only guards against lost files. */
async function readPointer(
  store: ObjectStore,
  name: string,
  sizes: Map<string, number>,
  log: Logger | undefined,
): Promise<number> {
  if (!sizes.has(name)) return 0;
  try {
    const body = unseal(await store.get(name), "pointer", 0) as { version: number };
    return body.version;
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    log?.warn({ file: name, error: error.message }, "damaged checkpoint pointer: using the list");
    return 0;
  }
}

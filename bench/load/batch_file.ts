/**
 * A workload on disk: request bodies one after the other, so that a load only reads and sends.
 *
 *     "TMBATCH1"                                   8 bytes
 *     batch, again and again:  u32 bytes, u32 rows, body      little endian
 *     end:                     u32 0, u32 0
 *     footer:                  JSON {batches, rows, batchBytesMax, ...}
 *     u32 length of the footer, "TMBATCHE"
 *
 * A file without its footer was never finished and is made again. Written once, under a temporary
 * name, then renamed; never changed afterwards.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  read,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { BatchSource, Filled, LineGenerator } from "./source.ts";

const HEAD = Buffer.from("TMBATCH1");
const TAIL = Buffer.from("TMBATCHE");
const PREFIX_BYTES = 8;
/** Written in pieces of about this size: large enough for the disk, small enough for the cache. */
const WRITE_BYTES = 4 * 1024 * 1024;

interface Footer {
  readonly batches: number;
  readonly rows: number;
  readonly batchBytesMax: number;
  readonly bytes: number;
}

/** Whether `path` is a finished workload. */
export function isFinished(path: string): boolean {
  if (!existsSync(path)) return false;
  const fd = openSync(path, "r");
  try {
    return readFooter(fd) !== null;
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes every line of `lines` to `path` in batches of `batchRows`. `progress` gets rows done.
 * The bytes are on disk when it returns, so that their write-back does not disturb a measurement.
 */
export async function writeBatchFile(
  path: string,
  lines: LineGenerator,
  batchRows: number,
  progress: (rows: number) => void,
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.partial`;
  const fd = openSync(temporary, "w");
  try {
    const batchRoom = PREFIX_BYTES + lines.lineBytesMax * batchRows;
    const buffer = Buffer.allocUnsafe(WRITE_BYTES + batchRoom + PREFIX_BYTES);
    let at = HEAD.copy(buffer);
    let batches = 0;
    let rows = 0;
    let bytes = 0;
    let batchBytesMax = 0;
    for (;;) {
      const filled = lines.fill(buffer, at + PREFIX_BYTES, batchRows);
      buffer.writeUInt32LE(filled.bytes, at);
      buffer.writeUInt32LE(filled.rows, at + 4);
      at += PREFIX_BYTES + filled.bytes;
      if (filled.rows === 0) break;
      batches++;
      rows += filled.rows;
      bytes += filled.bytes;
      batchBytesMax = Math.max(batchBytesMax, filled.bytes);
      if (at < WRITE_BYTES) continue;
      writeAll(fd, buffer.subarray(0, at));
      at = 0;
      progress(rows);
      await new Promise(setImmediate);
    }
    writeAll(fd, buffer.subarray(0, at));
    const footer = Buffer.from(JSON.stringify({ batches, rows, batchBytesMax, bytes }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    writeAll(fd, Buffer.concat([footer, length, TAIL]));
    progress(rows);
    fdatasyncSync(fd);
    closeSync(fd);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

function readFooter(fd: number): Footer | null {
  const size = fstatSync(fd).size;
  const end = Buffer.alloc(4 + TAIL.length);
  if (size < HEAD.length + end.length) return null;
  readSync(fd, end, 0, end.length, size - end.length);
  if (!end.subarray(4).equals(TAIL)) return null;
  const footer = Buffer.alloc(end.readUInt32LE(0));
  readSync(fd, footer, 0, footer.length, size - end.length - footer.length);
  return JSON.parse(footer.toString()) as Footer;
}

/** Reads a finished workload, in order. Throws when it is not one. */
export function openBatchFile(path: string): BatchSource {
  const fd = openSync(path, "r");
  const head = Buffer.alloc(HEAD.length);
  readSync(fd, head, 0, head.length, 0);
  const footer = readFooter(fd);
  if (footer === null || !head.equals(HEAD)) {
    closeSync(fd);
    throw new Error(`${path} is not a finished batch file`);
  }
  let position = HEAD.length;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  readSync(fd, prefix, 0, PREFIX_BYTES, position);
  position += PREFIX_BYTES;
  // One read per batch: it takes the batch and the prefix of the next one.
  const next = (into: Uint8Array, at: number): Promise<Filled> =>
    new Promise((resolve, reject) => {
      const bytes = prefix.readUInt32LE(0);
      const rows = prefix.readUInt32LE(4);
      if (rows === 0) return resolve({ rows: 0, bytes: 0 });
      const wanted = bytes + PREFIX_BYTES;
      const take = (done: number): void => {
        read(fd, into, at + done, wanted - done, position + done, (error, n) => {
          if (error !== null) return reject(error);
          if (n === 0) return reject(new Error(`${path} ends early`));
          if (done + n < wanted) return take(done + n);
          prefix.set(into.subarray(at + bytes, at + wanted));
          position += wanted;
          resolve({ rows, bytes });
        });
      };
      take(0);
    });
  return {
    batchBytesMax: footer.batchBytesMax + PREFIX_BYTES,
    rowsTotal: footer.rows,
    batchesTotal: footer.batches,
    next,
    close: async () => closeSync(fd),
  };
}

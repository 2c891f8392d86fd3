/** The result of a line protocol call, copied out of the kernels' memory. The word layout is kernels/assembly/body.ts. */
import type { Column } from "../types/mod.ts";
import type { KernelKind, LineError, ParsedBody, ParsedTable } from "./api.ts";
import { KIND_TYPES, KINDS, LINE_ERRORS, NONE, TAG } from "./codes.ts";
import type { KernelMemory } from "./memory.ts";

/** Names by number, cached by the caller. */
export interface Names {
  table(slot: number): string;
  field(slot: number, index: number): string;
}

/** Words of an error: line, column, code, slot, table, its length, name, its length, expected, found. */
const ERROR_WORDS = 10;

export function readBody(memory: KernelMemory, at: number, names: Names): ParsedBody {
  const words = memory.words;
  let next = at >>> 2;
  const word = () => words[next++]!;
  const tableCount = word();
  const kept = word();
  const errorsAt = word();
  const errorCount = word();
  const lines = word();
  const tables: ParsedTable[] = [];
  for (let i = 0; i < tableCount; i++) {
    const slot = word();
    const rows = word();
    const sids = memory.copyWords(word(), rows);
    const timesNs = new BigInt64Array(rows);
    memory.copyInto(timesNs, word(), rows * 8);
    const rowLines = memory.copyWords(word(), rows);
    const fieldCount = word();
    const fields: { index: number; name: string; kind: KernelKind; column: Column }[] = [];
    for (let f = 0; f < fieldCount; f++) {
      const index = word();
      const kind = KINDS[word()]!;
      const raw: RawColumn = {
        values: word(),
        count: word(),
        validity: word(),
        bytes: word(),
        bytesLength: word(),
      };
      const column = readColumn(memory, kind, rows, raw);
      fields.push({ index, name: names.field(slot, index), kind, column });
    }
    tables.push({ slot, table: names.table(slot), rows, sids, timesNs, fields, lines: rowLines });
  }
  const errors: LineError[] = [];
  for (let i = 0; i < kept; i++) errors.push(readError(memory, (errorsAt >>> 2) + i * ERROR_WORDS));
  return { tables, errors, errorCount, lines };
}

interface RawColumn {
  readonly values: number;
  /** Rows that the kernel settled; the rest are NULL. */
  readonly count: number;
  readonly validity: number;
  readonly bytes: number;
  readonly bytesLength: number;
}

function readColumn(memory: KernelMemory, kind: KernelKind, rows: number, raw: RawColumn): Column {
  const type = KIND_TYPES[kind];
  const validity = readValidity(memory, rows, raw);
  const nulls = validity === undefined ? {} : { validity };
  if (kind === "string") {
    const offsets = new Uint32Array(rows + 1);
    memory.copyInto(offsets.subarray(1), raw.values, raw.count * 4);
    offsets.fill(raw.bytesLength, raw.count + 1);
    return { type, offsets, bytes: memory.copyBytes(raw.bytes, raw.bytesLength), ...nulls };
  }
  const values =
    kind === "float64"
      ? new Float64Array(rows)
      : kind === "int64"
        ? new BigInt64Array(rows)
        : kind === "uint64"
          ? new BigUint64Array(rows)
          : new Uint8Array(rows);
  memory.copyInto(values, raw.values, raw.count * values.BYTES_PER_ELEMENT);
  return { type, values, ...nulls };
}

function readValidity(memory: KernelMemory, rows: number, raw: RawColumn): Uint8Array | undefined {
  if (raw.validity === 0 && raw.count === rows) return undefined;
  const bitmap = new Uint8Array((rows + 7) >> 3);
  if (raw.validity !== 0) memory.copyInto(bitmap, raw.validity, (raw.count + 7) >> 3);
  else {
    bitmap.fill(0xff, 0, raw.count >> 3);
    if ((raw.count & 7) !== 0) bitmap[raw.count >> 3] = (1 << (raw.count & 7)) - 1;
  }
  return bitmap;
}

function readError(memory: KernelMemory, at: number): LineError {
  const word = (i: number) => memory.words[at + i]!;
  const slot = word(3);
  const table = memory.text(word(4), word(5));
  const name = memory.text(word(6), word(7));
  const kinds = { expected: kindOf(word(8)), found: kindOf(word(9)) };
  return {
    line: word(0),
    column: word(1),
    code: LINE_ERRORS[word(2)]!,
    ...(slot === NONE ? {} : { slot }),
    ...(table === "" ? {} : { table }),
    ...(name === "" ? {} : { name }),
    ...(kinds.expected === undefined ? {} : { expected: kinds.expected }),
    ...(kinds.found === undefined ? {} : { found: kinds.found }),
  };
}

function kindOf(code: number): KernelKind | "tag" | undefined {
  return code === TAG ? "tag" : KINDS[code];
}

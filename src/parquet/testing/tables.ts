/** What the Parquet tests start with: columns from plain values, a table of them, and a file that DuckDB reads back. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type Kernel, loadKernel } from "../../kernel/mod.ts";
import { type Column, type ColumnType, duckTypeName, type FixedArray, T } from "../../types/mod.ts";
import type { FlushColumn, FlushTable } from "../api.ts";
import { writeParquet } from "../mod.ts";

/**
 * A value as the tests see it: integers, dates (days), times (ticks) and decimals (scaled) are bigint, floats number, bool boolean,
 * texts string, binary and vector Uint8Array; NULL is null.
 */
export type Value = bigint | number | boolean | string | Uint8Array | null;

const encoder = new TextEncoder();

function emptyArray(type: ColumnType, rows: number): FixedArray {
  switch (type.kind) {
    case "int8":
      return new Int8Array(rows);
    case "int16":
      return new Int16Array(rows);
    case "int32":
    case "date":
      return new Int32Array(rows);
    case "uint8":
    case "bool":
      return new Uint8Array(rows);
    case "uint16":
      return new Uint16Array(rows);
    case "uint32":
      return new Uint32Array(rows);
    case "uint64":
      return new BigUint64Array(rows);
    case "float32":
      return new Float32Array(rows);
    case "float64":
      return new Float64Array(rows);
    case "decimal":
      return new BigInt64Array(2 * rows);
    default:
      return new BigInt64Array(rows);
  }
}

function store(type: ColumnType, array: FixedArray, row: number, value: Value): void {
  if (type.kind === "decimal" && array instanceof BigInt64Array) {
    array[2 * row] = BigInt.asIntN(64, value as bigint);
    array[2 * row + 1] = (value as bigint) >> 64n;
  } else if (array instanceof BigInt64Array || array instanceof BigUint64Array)
    array[row] = value as bigint;
  else array[row] = Number(value);
}

/** A column of values; under a NULL there is something else than zero. */
export function columnOf(type: ColumnType, values: readonly Value[]): Column {
  const validity = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value !== null) validity[i >> 3]! |= 1 << (i & 7);
  });
  const nulls = values.includes(null) ? { validity } : {};
  if (["string", "json", "binary", "vector"].includes(type.kind)) {
    const parts = values.map((value) =>
      typeof value === "string"
        ? encoder.encode(value)
        : value === null
          ? encoder.encode("?")
          : value,
    ) as Uint8Array[];
    const offsets = new Uint32Array(values.length + 1);
    parts.forEach((part, i) => {
      offsets[i + 1] = offsets[i]! + part.length;
    });
    return { type, offsets, bytes: new Uint8Array(Buffer.concat(parts)), ...nulls };
  }
  const array = emptyArray(type, values.length);
  values.forEach((value, i) => {
    store(type, array, i, value ?? (type.kind.startsWith("float") ? 77 : 77n));
  });
  return { type, values: array, ...nulls };
}

/** `values`, cut into pieces of these lengths. A piece that is all NULL is left out. */
export function flushColumn(
  name: string,
  type: ColumnType,
  values: readonly Value[],
  pieces: readonly number[],
): FlushColumn {
  let at = 0;
  return {
    name,
    type,
    pieces: pieces.map((rows) => {
      const part = values.slice(at, at + rows);
      at += rows;
      return part.every((value) => value === null) ? undefined : columnOf(type, part);
    }),
  };
}

/** A table with these fields and otherwise nothing of interest: one run, rows in the order of arrival, times 0, 1, … */
export function tableOf(
  fields: readonly {
    readonly name: string;
    readonly type: ColumnType;
    readonly values: readonly Value[];
  }[],
  more: Partial<FlushTable> = {},
): FlushTable {
  const rows = fields[0]!.values.length;
  const pieces = more.pieces ?? [rows];
  const times = Array.from({ length: rows }, (_, i) => BigInt(i));
  return {
    pieces,
    order: Uint32Array.from({ length: rows }, (_, i) => i),
    runs: { rows: Uint32Array.of(rows) },
    tags: [],
    sids: { name: "__sid", values: new Uint32Array(more.runs?.rows.length ?? 1) },
    time: flushColumn("ts", T.timestampNs, times, pieces),
    fields: fields.map((field) => flushColumn(field.name, field.type, field.values, pieces)),
    rowGroupRows: 1000,
    keyValues: {},
    ...more,
  };
}

/** An SQL expression that turns a column into what a Value can be compared with. */
function selectOf(name: string, type: ColumnType): string {
  switch (type.kind) {
    case "timestamp":
      return type.unit === "ns" ? `epoch_ns("${name}")` : `epoch_us("${name}")`;
    case "date":
      return `("${name}" - DATE '1970-01-01')`;
    case "decimal":
      return `CAST("${name}" AS VARCHAR)`;
    case "binary":
    case "vector":
      return `hex("${name}")`;
    default:
      return `"${name}"`;
  }
}

const MICROS = { s: 1_000_000n, ms: 1000n, us: 1n, ns: 1n };

/** A value as the expression of selectOf yields it. */
function expected(type: ColumnType, value: Value): unknown {
  if (value === null) return null;
  switch (type.kind) {
    case "timestamp":
      return (value as bigint) * MICROS[type.unit];
    case "decimal": {
      const digits = (value as bigint)
        .toString()
        .replace("-", "")
        .padStart(type.scale + 1, "0");
      const sign = (value as bigint) < 0n ? "-" : "";
      if (type.scale === 0) return sign + digits;
      return `${sign}${digits.slice(0, -type.scale)}.${digits.slice(-type.scale)}`;
    }
    case "binary":
    case "vector":
      return Buffer.from(value as Uint8Array)
        .toString("hex")
        .toUpperCase();
    case "float32":
      return Math.fround(value as number);
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      return Number(value);
    case "date":
      return value;
    default:
      return value;
  }
}

/** What DuckDB calls the type of a column that was read from a file. */
export function duckTypeInFile(type: ColumnType): string {
  return type.kind === "timestamp" && type.unit !== "ns" ? "TIMESTAMP" : duckTypeName(type);
}

export class Bench {
  #files = 0;

  private constructor(
    readonly kernel: Kernel,
    readonly folder: string,
    readonly connection: Awaited<ReturnType<DuckDBInstance["connect"]>>,
  ) {}

  static async open(): Promise<Bench> {
    const kernel = await loadKernel({ seriesMax: 1000, columnsMax: 100 });
    const folder = await mkdtemp(join(tmpdir(), "parquet-"));
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    return new Bench(kernel, folder, await instance.connect());
  }

  async close(): Promise<void> {
    this.connection.disconnectSync();
    await rm(this.folder, { recursive: true });
  }

  /** The file last written. Each has its own name, because DuckDB may remember what it has read. */
  get path(): string {
    return join(this.folder, `${this.#files}.parquet`);
  }

  async write(table: FlushTable): Promise<Uint8Array> {
    this.#files++;
    const parts: Uint8Array[] = [];
    const { bytes, rows } = await writeParquet(this.kernel, table, async (part) => {
      parts.push(part);
    });
    const file = Buffer.concat(parts);
    if (bytes !== file.length || rows !== table.order.length)
      throw new Error(`the writer says ${bytes} bytes, ${rows} rows; there are ${file.length}`);
    await writeFile(this.path, file);
    return file;
  }

  async sql(text: string): Promise<unknown[][]> {
    const reader = await this.connection.runAndReadAll(text.replaceAll("$file", `'${this.path}'`));
    return reader.getRows();
  }

  /** The rows of the file, and what they should be, each as one list per column. */
  async compare(
    columns: readonly {
      readonly name: string;
      readonly type: ColumnType;
      readonly values: readonly Value[];
    }[],
    order: Uint32Array,
  ): Promise<void> {
    const items = columns.map(({ name, type }) => selectOf(name, type)).join(", ");
    const rows = await this.sql(`SELECT ${items} FROM $file`);
    if (rows.length !== order.length) throw new Error(`${rows.length} rows, not ${order.length}`);
    columns.forEach(({ name, type, values }, c) => {
      for (const [i, row] of order.entries()) {
        const want = expected(type, values[row]!);
        const got = rows[i]![c];
        if (!Object.is(got, want))
          throw new Error(`${name} (${duckTypeName(type)}), output row ${i}: ${got}, not ${want}`);
      }
    });
  }
}

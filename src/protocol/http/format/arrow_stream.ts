/**
 * Result chunks → Arrow IPC stream bytes, one record batch for each chunk. Fixed-width columns are handed over without a copy;
 * 64-bit integers and timestamps keep every bit.
 */
import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  DurationMicrosecond,
  DurationMillisecond,
  DurationNanosecond,
  DurationSecond,
  Field,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  IntervalMonthDayNano,
  List,
  makeData,
  Null,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimeSecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from "apache-arrow";
import { Bug } from "../../../base/mod.ts";
import {
  type ColumnType,
  isTyped,
  type ResultChunk,
  type ResultColumn,
  type ResultField,
  resultValue,
} from "../../../types/mod.ts";
import { isInterval } from "./interval.ts";

/** One stream: batches, then the end. Every call returns the bytes that are new. */
export class ArrowStream {
  readonly #fields: readonly ResultField[];
  readonly #schema: Schema;
  readonly #writer = new PieceWriter();

  constructor(fields: readonly ResultField[]) {
    this.#fields = fields;
    this.#schema = new Schema(
      fields.map((field) => new Field(field.name, arrowType(field.type), true)),
    );
    this.#writer.reset(undefined, this.#schema);
  }

  batch(chunk: ResultChunk): Uint8Array {
    const children = this.#fields.map((field, i) =>
      arrowData(chunk.columns[i]!, field.type, chunk.rows),
    );
    const data = makeData({
      type: new Struct(this.#schema.fields),
      length: chunk.rows,
      nullCount: 0,
      children,
    });
    this.#writer.write(new RecordBatch(this.#schema, data));
    return this.#writer.take();
  }

  end(): Uint8Array {
    this.#writer.finish();
    return this.#writer.take();
  }
}

/** Collects what the library writes instead of queueing it. */
class PieceWriter extends RecordBatchStreamWriter {
  #pieces: Uint8Array[] = [];

  protected override _write(chunk: unknown): this {
    if (!this._started) return this;
    if (!ArrayBuffer.isView(chunk)) throw new Bug("Arrow writes views of buffers");
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#pieces.push(bytes);
    this._position += bytes.byteLength;
    return this;
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }
}

function arrowType(type: ColumnType): DataType {
  switch (type.kind) {
    case "int8":
      return new Int8();
    case "int16":
      return new Int16();
    case "int32":
      return new Int32();
    case "int64":
      return new Int64();
    case "uint8":
      return new Uint8();
    case "uint16":
      return new Uint16();
    case "uint32":
      return new Uint32();
    case "uint64":
      return new Uint64();
    case "float32":
      return new Float32();
    case "float64":
      return new Float64();
    case "bool":
      return new Bool();
    case "string":
    case "json":
      return new Utf8();
    case "binary":
    case "vector":
      return new Binary();
    case "date":
      return new DateDay();
    case "timestamp":
      return {
        s: new TimestampSecond(),
        ms: new TimestampMillisecond(),
        us: new TimestampMicrosecond(),
        ns: new TimestampNanosecond(),
      }[type.unit];
    case "time":
      return {
        s: new TimeSecond(),
        ms: new TimeMillisecond(),
        us: new TimeMicrosecond(),
        ns: new TimeNanosecond(),
      }[type.unit];
    case "duration":
      return {
        s: new DurationSecond(),
        ms: new DurationMillisecond(),
        us: new DurationMicrosecond(),
        ns: new DurationNanosecond(),
      }[type.unit];
    case "decimal":
      return new Decimal(type.scale, type.precision, 128);
    case "interval":
      return new IntervalMonthDayNano();
    case "null":
      return new Null();
    case "list":
      return new List(new Field("item", arrowType(type.item), true));
    case "struct":
      return new Struct(type.fields.map(([name, part]) => new Field(name, arrowType(part), true)));
  }
}

function arrowData(column: ResultColumn, type: ColumnType, rows: number): Data {
  const arrow = arrowType(type);
  const common = { length: rows, nullBitmap: nullBitmap(column, rows) };
  const value = (row: number) => resultValue(column, row);
  const isNull = (row: number) => value(row) === null || value(row) === undefined;
  switch (type.kind) {
    case "null":
      return makeData({ type: new Null(), length: rows });
    case "string":
    case "json":
      return makeData({
        type: new Utf8(),
        ...common,
        ...variable(rows, (row) => (isNull(row) ? undefined : Buffer.from(value(row) as string))),
      });
    case "binary":
    case "vector":
      return makeData({
        type: new Binary(),
        ...common,
        ...variable(rows, (row) => (isNull(row) ? undefined : (value(row) as Uint8Array))),
      });
    case "bool":
      return makeData({
        type: new Bool(),
        ...common,
        data: bits(rows, (row) => value(row) === true || value(row) === 1),
      });
    case "decimal":
      return makeData({
        type: arrow as Decimal,
        ...common,
        data: words(rows, (row) =>
          isNull(row) ? 0n : BigInt((value(row) as string).replace(".", "")),
        ),
      });
    case "interval":
      return makeData({
        type: new IntervalMonthDayNano(),
        ...common,
        data: intervals(rows, value),
      });
    case "list": {
      const items: unknown[] = [];
      const valueOffsets = new Int32Array(rows + 1);
      for (let row = 0; row < rows; row++) {
        if (!isNull(row)) items.push(...(value(row) as readonly unknown[]));
        valueOffsets[row + 1] = items.length;
      }
      const child = arrowData(items, type.item, items.length);
      return makeData({ type: arrow as List, ...common, valueOffsets, child });
    }
    case "struct": {
      const children = type.fields.map(([name, part]) =>
        arrowData(
          Array.from({ length: rows }, (_, row) =>
            isNull(row) ? null : (value(row) as Readonly<Record<string, unknown>>)[name],
          ),
          part,
          rows,
        ),
      );
      return makeData({ type: arrow as Struct, ...common, children });
    }
    default:
      return makeData({ type: arrow as Int64, ...common, data: fixed(column, type, rows) });
  }
}

type Fixed = Int64["TArray"];

/** Values of a fixed-width column in Arrow's own array type; the engine's typed arrays already are that. */
function fixed(column: ResultColumn, type: ColumnType, rows: number): Fixed {
  const make = fixedArray(type);
  if (isTyped(column) && column.values instanceof make)
    return column.values.subarray(0, rows) as unknown as Fixed;
  const values = new make(rows);
  const wide = values instanceof BigInt64Array || values instanceof BigUint64Array;
  for (let row = 0; row < rows; row++) {
    const value = resultValue(column, row);
    if (value === null || value === undefined) continue;
    if (wide) values[row] = BigInt(value as number | bigint);
    else (values as Float64Array)[row] = Number(value);
  }
  return values as unknown as Fixed;
}

function fixedArray(type: ColumnType) {
  switch (type.kind) {
    case "int8":
      return Int8Array;
    case "int16":
      return Int16Array;
    case "int32":
    case "date":
      return Int32Array;
    case "uint8":
      return Uint8Array;
    case "uint16":
      return Uint16Array;
    case "uint32":
      return Uint32Array;
    case "uint64":
      return BigUint64Array;
    case "float32":
      return Float32Array;
    case "float64":
      return Float64Array;
    case "time":
      return type.unit === "s" || type.unit === "ms" ? Int32Array : BigInt64Array;
    default:
      return BigInt64Array;
  }
}

/** null where no row is NULL. */
function nullBitmap(column: ResultColumn, rows: number): Uint8Array | null {
  if (isTyped(column)) return column.validity ?? null;
  if (!column.some((value) => value === null || value === undefined)) return null;
  return bits(rows, (row) => column[row] !== null && column[row] !== undefined);
}

function bits(rows: number, isSet: (row: number) => boolean): Uint8Array {
  const bytes = new Uint8Array((rows + 7) >> 3);
  for (let row = 0; row < rows; row++) if (isSet(row)) bytes[row >> 3]! |= 1 << (row & 7);
  return bytes;
}

function variable(rows: number, bytesOf: (row: number) => Uint8Array | undefined) {
  const valueOffsets = new Int32Array(rows + 1);
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const bytes = bytesOf(row);
    if (bytes !== undefined) {
      pieces.push(bytes);
      total += bytes.length;
    }
    valueOffsets[row + 1] = total;
  }
  return { valueOffsets, data: new Uint8Array(Buffer.concat(pieces, total)) };
}

/** 128-bit integers, little endian. */
function words(rows: number, valueAt: (row: number) => bigint): Uint32Array {
  const out = new Uint32Array(rows * 4);
  for (let row = 0; row < rows; row++) {
    let rest = BigInt.asUintN(128, valueAt(row));
    for (let i = 0; i < 4; i++) {
      out[row * 4 + i] = Number(rest & 0xffff_ffffn);
      rest >>= 32n;
    }
  }
  return out;
}

/** Months i32, days i32, nanoseconds i64. */
function intervals(rows: number, valueAt: (row: number) => unknown): Int32Array {
  const out = new Int32Array(rows * 4);
  for (let row = 0; row < rows; row++) {
    const value = valueAt(row);
    if (!isInterval(value)) continue;
    out[row * 4] = value.months;
    out[row * 4 + 1] = value.days;
    out[row * 4 + 2] = Number(BigInt.asIntN(32, value.nanos));
    out[row * 4 + 3] = Number(BigInt.asIntN(32, value.nanos >> 32n));
  }
  return out;
}

/**
 * DuckDB chunk → ResultChunk: fixed-width columns are copied out as typed arrays, the rest decoded to arrays of values.
 * The native memory belongs to the chunk, so nothing here keeps a view of it.
 *
 * Layout facts (DuckDB's C API): a string is 16 bytes, length u32, then 12 inline bytes, or a 4-byte prefix and a pointer;
 * a list is offset u64 and length u64 into its child vector; an interval is months i32, days i32, micros i64.
 */
import binding, { type DataChunk, type Vector } from "@duckdb/node-bindings";
import type { ColumnType, ResultChunk, ResultColumn, ResultField } from "../types/mod.ts";

export interface IntervalValue {
  readonly months: number;
  readonly days: number;
  readonly nanos: bigint;
}

export function decodeChunk(
  chunk: DataChunk,
  rows: number,
  fields: readonly ResultField[],
): ResultChunk {
  const columns = fields.map((field, index) =>
    decodeVector(binding.data_chunk_get_vector(chunk, index), rows, field.type),
  );
  return { rows, columns };
}

function decodeVector(vector: Vector, rows: number, type: ColumnType): ResultColumn {
  const validity = copyValidity(vector, rows);
  const fixed = <A extends ArrayLike<number> | ArrayLike<bigint>>(
    make: new (buffer: ArrayBuffer) => A,
    width: number,
  ): ResultColumn => {
    const data = binding.vector_get_data(vector, rows * width);
    const values = new make(copyBytes(data));
    return validity === undefined ? { values } : { values, validity };
  };
  switch (type.kind) {
    case "int8":
      return fixed(Int8Array, 1);
    case "int16":
      return fixed(Int16Array, 2);
    case "int32":
    case "date":
    case "null":
      return fixed(Int32Array, 4);
    case "int64":
    case "timestamp":
    case "duration":
      return fixed(BigInt64Array, 8);
    case "uint8":
      return fixed(Uint8Array, 1);
    case "uint16":
      return fixed(Uint16Array, 2);
    case "uint32":
      return fixed(Uint32Array, 4);
    case "uint64":
      return fixed(BigUint64Array, 8);
    case "float32":
      return fixed(Float32Array, 4);
    case "float64":
      return fixed(Float64Array, 8);
    case "time":
      return decodeTimes(vector, rows, validity);
    case "bool": {
      const data = binding.vector_get_data(vector, rows);
      return array(rows, validity, (row) => data[row] !== 0);
    }
    case "string":
    case "json":
      return decodeStrings(vector, rows, validity);
    case "binary":
    case "vector":
      return decodeBlobs(vector, rows, validity);
    case "decimal":
      return decodeDecimals(vector, rows, validity, type.precision, type.scale);
    case "interval":
      return decodeIntervals(vector, rows, validity);
    case "list":
      return decodeLists(vector, rows, validity, type.item);
    case "struct": {
      const parts = type.fields.map(([name, part], index) => ({
        name,
        column: decodeVector(binding.struct_vector_get_child(vector, index), rows, part),
      }));
      return array(rows, validity, (row) =>
        Object.fromEntries(parts.map((part) => [part.name, at(part.column, row)])),
      );
    }
  }
}

function copyBytes(data: Uint8Array): ArrayBuffer {
  const copy = new Uint8Array(data.byteLength);
  copy.set(data);
  return copy.buffer;
}

/** Undefined when no row is NULL. */
function copyValidity(vector: Vector, rows: number): Uint8Array | undefined {
  const bits: Uint8Array | null = binding.vector_get_validity(vector, ((rows + 63) >> 6) * 8);
  if (bits === null || bits === undefined) return undefined;
  const full = rows >> 3;
  let allValid = true;
  for (let i = 0; i < full && allValid; i++) allValid = bits[i] === 0xff;
  if (allValid && rows & 7)
    allValid = (bits[full]! & ((1 << (rows & 7)) - 1)) === (1 << (rows & 7)) - 1;
  return allValid ? undefined : new Uint8Array(bits);
}

function valid(validity: Uint8Array | undefined, row: number): boolean {
  return validity === undefined || ((validity[row >> 3]! >> (row & 7)) & 1) === 1;
}

function array<V>(
  rows: number,
  validity: Uint8Array | undefined,
  read: (row: number) => V,
): (V | null)[] {
  const values: (V | null)[] = new Array(rows);
  for (let row = 0; row < rows; row++) values[row] = valid(validity, row) ? read(row) : null;
  return values;
}

function at(column: ResultColumn, row: number): unknown {
  if (Array.isArray(column)) return column[row];
  const typed = column as Exclude<ResultColumn, readonly unknown[]>;
  return valid(typed.validity, row) ? typed.values[row] : null;
}

/** Neighbouring equal strings (sorted tags) are decoded once: equal 16 bytes mean the same text. */
function decodeStrings(
  vector: Vector,
  rows: number,
  validity: Uint8Array | undefined,
): ResultColumn {
  const data = binding.vector_get_data(vector, rows * 16);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const words = new BigUint64Array(data.buffer, data.byteOffset, rows * 2);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const values: (string | null)[] = new Array(rows);
  let last: string | undefined;
  let lastRow = 0;
  for (let row = 0; row < rows; row++) {
    if (!valid(validity, row)) {
      values[row] = null;
      continue;
    }
    if (
      last !== undefined &&
      words[row * 2] === words[lastRow * 2] &&
      words[row * 2 + 1] === words[lastRow * 2 + 1]
    ) {
      values[row] = last;
      continue;
    }
    const length = view.getUint32(row * 16, true);
    last =
      length <= 12
        ? bytes.toString("utf8", row * 16 + 4, row * 16 + 4 + length)
        : Buffer.from(
            binding.get_data_from_pointer(
              data.buffer as ArrayBuffer,
              data.byteOffset + row * 16 + 8,
              length,
            ),
          ).toString("utf8");
    lastRow = row;
    values[row] = last;
  }
  return values;
}

function decodeBlobs(vector: Vector, rows: number, validity: Uint8Array | undefined): ResultColumn {
  const data = binding.vector_get_data(vector, rows * 16);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return array(rows, validity, (row) => {
    const length = view.getUint32(row * 16, true);
    return length <= 12
      ? new Uint8Array(data.subarray(row * 16 + 4, row * 16 + 4 + length))
      : new Uint8Array(
          binding.get_data_from_pointer(
            data.buffer as ArrayBuffer,
            data.byteOffset + row * 16 + 8,
            length,
          ),
        );
  });
}

/** DuckDB's TIME counts microseconds; ours nanoseconds. */
function decodeTimes(vector: Vector, rows: number, validity: Uint8Array | undefined): ResultColumn {
  const data = binding.vector_get_data(vector, rows * 8);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return array(rows, validity, (row) => view.getBigInt64(row * 8, true) * 1_000n);
}

function decodeDecimals(
  vector: Vector,
  rows: number,
  validity: Uint8Array | undefined,
  precision: number,
  scale: number,
): ResultColumn {
  const width = precision <= 4 ? 2 : precision <= 9 ? 4 : precision <= 18 ? 8 : 16;
  const data = binding.vector_get_data(vector, rows * width);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return array(rows, validity, (row) => {
    const scaled =
      width === 2
        ? BigInt(view.getInt16(row * 2, true))
        : width === 4
          ? BigInt(view.getInt32(row * 4, true))
          : width === 8
            ? view.getBigInt64(row * 8, true)
            : (view.getBigInt64(row * 16 + 8, true) << 64n) | view.getBigUint64(row * 16, true);
    return decimalText(scaled, scale);
  });
}

/** 12345, 2 → "123.45". */
export function decimalText(scaled: bigint, scale: number): string {
  if (scale === 0) return scaled.toString();
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(scale + 1, "0");
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return scaled < 0n ? `-${text}` : text;
}

function decodeIntervals(
  vector: Vector,
  rows: number,
  validity: Uint8Array | undefined,
): ResultColumn {
  const data = binding.vector_get_data(vector, rows * 16);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return array(
    rows,
    validity,
    (row): IntervalValue => ({
      months: view.getInt32(row * 16, true),
      days: view.getInt32(row * 16 + 4, true),
      nanos: view.getBigInt64(row * 16 + 8, true) * 1_000n,
    }),
  );
}

function decodeLists(
  vector: Vector,
  rows: number,
  validity: Uint8Array | undefined,
  item: ColumnType,
): ResultColumn {
  const data = binding.vector_get_data(vector, rows * 16);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const child = decodeVector(
    binding.list_vector_get_child(vector),
    binding.list_vector_get_size(vector),
    item,
  );
  return array(rows, validity, (row) => {
    const offset = Number(view.getBigUint64(row * 16, true));
    const length = Number(view.getBigUint64(row * 16 + 8, true));
    return Array.from({ length }, (_, i) => at(child, offset + i));
  });
}

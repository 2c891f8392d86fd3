/** Numbers that the kernels and these bindings share. Order is meaning: see kernels/assembly/refusal.ts and column.ts. */
import { type ColumnType, T } from "../types/mod.ts";
import type { KernelKind, LineError, Precision } from "./api.ts";

/** "Nothing" in a word. */
export const NONE = 0xffff_ffff;

/** Line errors by code; code 0 does not occur. */
export const LINE_ERRORS: readonly (LineError["code"] | undefined)[] = [
  undefined,
  "no_measurement",
  "bad_tag",
  "empty_tag_value",
  "no_fields",
  "bad_field",
  "bad_number",
  "bad_bool",
  "unterminated_string",
  "bad_timestamp",
  "timestamp_out_of_range",
  "type_conflict",
  "tag_is_field",
  "field_is_tag",
  "trailing_backslash",
  "bad_utf8",
  "series_limit",
  "duplicate_field",
  "name_too_long",
  "too_many_columns",
  "memory",
];

export const KINDS: readonly KernelKind[] = ["float64", "int64", "uint64", "bool", "string"];
export const OPAQUE = 5;
export const TAG = 6;

export const KIND_TYPES: Readonly<Record<KernelKind, ColumnType>> = {
  float64: T.float64,
  int64: T.int64,
  uint64: T.uint64,
  bool: T.bool,
  string: T.string,
};

/** Nanoseconds in a tick of each precision. */
export const PRECISION_NS: Readonly<Record<Precision, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

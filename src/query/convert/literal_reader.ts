/**
 * Literals of INSERT … VALUES → values of a column's type, by the literal rules of the dialect (not those of CAST):
 * strings become timestamps in the session's zone, numbers become raw ticks, and nothing else changes its kind.
 * One reader per column and statement; every refusal names the row, the column and both types.
 */
import { DbError } from "../../base/mod.ts";
import { parseDate, parseTimestamp } from "../../sql/mod.ts";
import {
  type ColumnSchema,
  type ColumnType,
  type DefaultValue,
  UNIT_NANOS,
} from "../../types/mod.ts";
import type { ColumnWriter } from "./column_writer.ts";
import { canonicalJson } from "./json_text.ts";
import {
  BIG_INT,
  decimalFits,
  outOfRangeText,
  parseDecimal,
  SMALL_INT,
  ticksInRange,
} from "./limits.ts";
import {
  badNumber,
  badText,
  nullRefused,
  outOfRange,
  type Place,
  wrongKind,
} from "./value_error.ts";

/** What the literal rules depend on besides the column. */
export interface LiteralRules {
  /** `database.table`, for messages. */
  readonly table: string;
  /** Zone of naive timestamp strings. */
  readonly timezone: string;
  /** now(), nanoseconds. */
  readonly nowNs: bigint;
  /** MySQL connections may write numbers and booleans as strings. */
  readonly numericText: boolean;
}

/** Digits up to which Number() of an integer is exact. */
const exactDigits = 15;

export class LiteralReader {
  /** Row of the value being read, from 0: set by the caller before each read. */
  row = 0;
  #days = new Map<string, number>();

  constructor(
    readonly column: ColumnSchema,
    readonly writer: ColumnWriter,
    readonly rules: LiteralRules,
  ) {}

  get #place(): Place {
    return { table: this.rules.table, column: this.column, row: this.row + 1 };
  }

  nothing(): void {
    if (!this.column.nullable) throw nullRefused(this.#place);
    this.writer.putNull();
  }

  bool(value: boolean): void {
    if (this.column.type.kind !== "bool") throw wrongKind("Boolean", String(value), this.#place);
    this.writer.putNumber(value ? 1 : 0);
  }

  /** An integer literal with an optional sign. */
  integer(text: string): void {
    const type = this.column.type;
    switch (type.kind) {
      case "int64":
      case "uint64":
        this.#bigInteger(text, type.kind);
        return;
      case "timestamp": {
        const ticks = bigintOf(text);
        if (!ticksInRange(ticks, type.unit))
          throw outOfRange(outOfRangeText(text, type), this.#place);
        this.writer.putBigint(ticks);
        return;
      }
      case "bool":
        throw wrongKind("Int64", text, this.#place);
      default:
        this.#number(text);
    }
  }

  /** A number with a point or an exponent. */
  decimal(text: string): void {
    const type = this.column.type;
    switch (type.kind) {
      case "float32":
      case "float64":
      case "decimal":
        this.#number(text);
        return;
      case "bool":
        throw wrongKind("Float64", text, this.#place);
      default:
        throw badNumber(text, this.#place);
    }
  }

  text(text: string): void {
    const { type } = this.column;
    switch (type.kind) {
      case "string":
      case "binary":
        this.writer.putText(text);
        return;
      case "timestamp":
        this.writer.putBigint(this.#ticks(text, type));
        return;
      case "date":
        this.writer.putNumber(this.#daysOf(text));
        return;
      case "json": {
        const canonical = canonicalJson(text);
        if (canonical === undefined) throw badText(text, "Json", this.#place);
        this.writer.putText(canonical);
        return;
      }
      case "vector":
        this.writer.putBytes(this.#vector(text, type.dim));
        return;
      case "decimal":
        if (parseDecimal(text, type.scale) === undefined)
          throw badText(text, "Decimal", this.#place);
        this.#number(text);
        return;
      default:
        this.#numericText(text);
    }
  }

  bytes(hex: string): void {
    const { type } = this.column;
    if (type.kind !== "binary") throw wrongKind("Binary", `X'${hex}'`, this.#place);
    if (hex.length % 2 !== 0) throw badText(hex, "Binary", this.#place);
    this.writer.putBytes(Buffer.from(hex, "hex"));
  }

  /** The column's DEFAULT, else NULL. Throws when it has neither. */
  default(): void {
    const value = this.column.default;
    if (value === undefined) {
      if (!this.column.nullable) throw noDefault(this.column.name);
      this.writer.putNull();
    } else this.#defaultValue(value);
  }

  #defaultValue(value: DefaultValue): void {
    const { type } = this.column;
    if (value.kind === "now") {
      if (type.kind !== "timestamp") throw wrongKind("Timestamp", "now()", this.#place);
      this.writer.putBigint(this.rules.nowNs / UNIT_NANOS[type.unit]);
      return;
    }
    const literal = value.value;
    if (literal === null) this.nothing();
    else if (typeof literal === "boolean") this.bool(literal);
    else if (typeof literal === "string") this.text(literal);
    else if (typeof literal === "bigint") this.integer(literal.toString());
    else if (Number.isInteger(literal)) this.integer(literal.toFixed(0));
    else this.#number(String(literal));
  }

  /** Integers up to 32 bits, floats and decimals. */
  #number(text: string): void {
    const type = this.column.type;
    const small = SMALL_INT[type.kind];
    if (small !== undefined) {
      const value = Number(text);
      if (!(value >= small[0] && value <= small[1])) throw badNumber(text, this.#place);
      this.writer.putNumber(value);
    } else if (type.kind === "float64" || type.kind === "float32") {
      this.writer.putNumber(Number(text));
    } else if (type.kind === "decimal") {
      const scaled = parseDecimal(text, type.scale);
      if (scaled === undefined || !decimalFits(scaled, type.precision))
        throw badNumber(text, this.#place);
      this.writer.putDecimal(scaled);
    } else throw badNumber(text, this.#place);
  }

  #bigInteger(text: string, kind: "int64" | "uint64"): void {
    const value = bigintOf(text);
    const [min, max] = BIG_INT[kind];
    if (value < min || value > max) throw badNumber(text, this.#place);
    this.writer.putBigint(value);
  }

  /** A string for a number or a boolean: only MySQL clients may, because their drivers quote everything. */
  #numericText(text: string): void {
    const { kind } = this.column.type;
    if (!this.rules.numericText) throw wrongKind("String", `'${text}'`, this.#place);
    if (kind === "bool") {
      const value = { "1": true, true: true, "0": false, false: false }[text.toLowerCase()];
      if (value === undefined) throw badText(text, "Boolean", this.#place);
      this.bool(value);
      return;
    }
    const float = kind === "float32" || kind === "float64";
    const pattern = float ? /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/ : /^[+-]?\d+$/;
    if (!pattern.test(text)) throw badNumber(`'${text}'`, this.#place);
    if (float) this.#number(text);
    else this.integer(text);
  }

  #ticks(text: string, type: ColumnType & { kind: "timestamp" }): bigint {
    const parsed = parseTimestamp(text, this.rules.timezone);
    // A bare date is a timestamp for CAST and comparisons, but not here.
    if (parsed !== undefined && !parsed.dateOnly) {
      const ticks = floorDiv(parsed.ns, UNIT_NANOS[type.unit]);
      if (!ticksInRange(ticks, type.unit))
        throw outOfRange(outOfRangeText(`'${text}'`, type), this.#place);
      return ticks;
    }
    if (!/^[+-]?\d+$/.test(text)) throw badText(text, "Timestamp", this.#place);
    const ticks = bigintOf(text);
    if (!ticksInRange(ticks, type.unit)) throw outOfRange(outOfRangeText(text, type), this.#place);
    return ticks;
  }

  #daysOf(text: string): number {
    const known = this.#days.get(text);
    if (known !== undefined) return known;
    const days = parseDate(text);
    if (days === undefined) throw badText(text, "Date", this.#place);
    this.#days.set(text, days);
    return days;
  }

  #vector(text: string, dim: number): Uint8Array {
    const bytes = vectorBytes(text, dim);
    if (bytes === undefined) throw badText(text, `Vector(${dim})`, this.#place);
    return bytes;
  }
}

export function noDefault(column: string): DbError {
  return new DbError(
    "invalid_arguments",
    `No valid default value can be built automatically, column: ${column}`,
  );
}

/** "+12" → 12n. The text holds a sign at most and digits. */
function bigintOf(text: string): bigint {
  if (text.length <= exactDigits) return BigInt(Number(text));
  return BigInt(text.startsWith("+") ? text.slice(1) : text);
}

export function floorDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

/** "[1, 2.5]" → little-endian float32 values; undefined when it is not a list of `dim` numbers. */
export function vectorBytes(text: string, dim: number): Uint8Array | undefined {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const words = inner.trim() === "" ? [] : inner.split(",");
  if (words.length !== dim) return undefined;
  const view = new DataView(new ArrayBuffer(dim * 4));
  for (let i = 0; i < dim; i++) {
    const value = Number(words[i]);
    if (words[i]!.trim() === "" || Number.isNaN(value)) return undefined;
    view.setFloat32(i * 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

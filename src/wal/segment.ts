/** What is known about one segment in memory: its name, its good bytes, and how far it reaches for each region. */
import type { LogRecord } from "./api.ts";

/** Decimal digits of u64's largest value: names sort like numbers. */
const NUMBER_DIGITS = 20;
const NAME = /^(\d{20})\.wal$/;

export function segmentName(number: bigint): string {
  return `${String(number).padStart(NUMBER_DIGITS, "0")}.wal`;
}

/** undefined for any other file. */
export function segmentNumber(name: string): bigint | undefined {
  const match = NAME.exec(name);
  return match ? BigInt(match[1]!) : undefined;
}

/** Where a damaged stretch is kept for people to look at. */
export function damagedName(segment: string, offset: number): string {
  return `${segment}.damaged-${offset}`;
}

export class Segment {
  readonly number: bigint;
  readonly name: string;
  /** Good bytes from the start: header and valid or quarantined records. Nothing beyond them is ever read. */
  bytes: number;
  /** The file may be longer than `bytes`; only the successor's header says where to stop, so that one must stay. */
  overlong = false;
  /** A damaged stretch could not be copied aside: the file is the only evidence and is never deleted. */
  evidence = false;
  /** Region → first sequence after its newest record here. */
  readonly #ends = new Map<bigint, bigint>();

  constructor(number: bigint, bytes: number) {
    this.number = number;
    this.name = segmentName(number);
    this.bytes = bytes;
  }

  /** Remembers that the record is in this segment. */
  cover(record: Omit<LogRecord, "payload" | "kind">): void {
    const end = record.sequence + BigInt(record.rows);
    const known = this.#ends.get(record.region);
    if (known === undefined || end > known) this.#ends.set(record.region, end);
  }

  /** Regions that still need records of this segment. */
  neededBy(needed: (region: bigint) => bigint | undefined): bigint[] {
    const regions: bigint[] = [];
    for (const [region, end] of this.#ends) {
      const from = needed(region);
      if (from !== undefined && from < end) regions.push(region);
    }
    return regions;
  }
}

/**
 * One part (in-order or late) of a memtable generation: a DuckDB table, and the rows that are not in it yet.
 *
 * Nobody may ask for a row before it is flushed, and a flush can write rows straight from typed arrays. So rows wait in pieces outside
 * DuckDB while the region is not being queried, and go there in large appends when it is (`eager`), or at once when a reader comes.
 */
import { assert } from "../base/mod.ts";
import { appendColumns, type Duck, quoteName } from "../duck/mod.ts";
import { type Column, type ColumnType, duckTypeName } from "../types/mod.ts";
import { PendingColumns } from "./pending.ts";

/** Rows of a piece: a larger append costs a third of a small one per row; this one takes some tens of milliseconds. */
const pieceRowsMax = 131_072;
/** Strings can make few rows large. */
const pieceBytesMax = 32 * 1024 * 1024;

export interface Piece {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Nobody reads the columns any more. */
  free(): void;
}

export class Part {
  rows = 0;
  minTime = 0n;
  maxTime = 0n;
  #pending: PendingColumns;
  /** Full pieces that are not in DuckDB. */
  #pieces: Piece[] = [];
  #created = false;
  #creating: Promise<void> | undefined;
  /** A flush reads the pieces: their memory is not used again before `drop`. */
  #lent = false;
  /** Are some of the rows in DuckDB, and no longer here? */
  #moved = false;

  constructor(
    readonly duck: Duck,
    readonly table: string,
    readonly columns: readonly { readonly name: string; readonly type: ColumnType }[],
    readonly eager: () => boolean,
  ) {
    this.#pending = new PendingColumns(columns.map((c) => c.type));
  }

  /** `columns[i]` is the table's i-th column, undefined when NULL in all rows. */
  append(columns: readonly (Column | undefined)[], times: BigInt64Array, rows: number): void {
    const full =
      this.#pending.rows + rows > pieceRowsMax || this.#pending.stringBytes >= pieceBytesMax;
    if (full && this.#pending.rows > 0) this.#seal();
    this.#pending.append(columns, rows);
    this.#note(times, rows);
  }

  /** The pending rows become a piece, and go to DuckDB at once when readers are about. */
  #seal(): void {
    const sealed = this.#pending;
    this.#pieces.push({ ...sealed.view(), free: () => sealed.free() });
    this.#pending = new PendingColumns(
      this.columns.map((c) => c.type),
      pieceRowsMax,
    );
    // Until the table exists the pieces stay; `ready` reports when it cannot be made.
    if (!this.eager()) return;
    if (this.#created) this.sync();
    else this.create().catch(() => undefined);
  }

  #note(times: BigInt64Array, rows: number): void {
    if (rows === 0) return;
    const [least, greatest] = extremes(times, rows);
    if (this.rows === 0 || times[least]! < this.minTime) this.minTime = times[least]!;
    if (this.rows === 0 || times[greatest]! > this.maxTime) this.maxTime = times[greatest]!;
    this.rows += rows;
  }

  get created(): boolean {
    return this.#created;
  }

  /** All rows in arrival order, when none of them has gone to DuckDB; else undefined. Views: valid while nothing is appended. */
  pieces(): readonly Piece[] | undefined {
    if (this.#moved) return undefined;
    this.#lent = true;
    return this.#pending.rows === 0
      ? this.#pieces
      : [...this.#pieces, { ...this.#pending.view(), free: () => undefined }];
  }

  /** Creates the table in DuckDB; idle regions cost nothing there. */
  create(): Promise<void> {
    this.#creating ??= this.#createTable().catch((cause) => {
      // Short of memory, perhaps: the next one to come tries again.
      this.#creating = undefined;
      throw cause;
    });
    return this.#creating;
  }

  async #createTable(): Promise<void> {
    const columns = this.columns
      .map((c) => `${quoteName(c.name)} ${duckTypeName(c.type)}`)
      .join(", ");
    await this.duck.run(`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`);
    this.#created = true;
  }

  /** Makes the table, and moves all full pieces there, with a turn of the event loop between two. */
  async ready(): Promise<void> {
    if (this.rows === 0) return;
    await this.create();
    while (this.#pieces.length > 0) {
      this.#moveFirstPiece();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Moves what is left into DuckDB, at once. Does nothing until the table exists; on failure the rows stay here. */
  sync(): void {
    if (!this.#created) return;
    while (this.#pieces.length > 0) this.#moveFirstPiece();
    if (this.#pending.rows === 0) return;
    const { columns, rows } = this.#pending.view();
    appendColumns(this.duck, this.table, columns, rows);
    this.#moved = true;
    this.#pending.clear();
  }

  #moveFirstPiece(): void {
    const piece = this.#pieces[0];
    assert(piece !== undefined, "there is a piece to move");
    appendColumns(this.duck, this.table, piece.columns, piece.rows);
    this.#moved = true;
    this.#pieces = this.#pieces.slice(1);
    // A flush may be writing from it (`pieces`); then it frees what it took.
    if (!this.#lent) piece.free();
  }

  async drop(): Promise<void> {
    for (const piece of this.#pieces) piece.free();
    this.#pieces = [];
    this.#pending.free();
    if (this.#creating === undefined) return;
    await this.#creating;
    await this.duck.run(`DROP TABLE IF EXISTS ${this.table}`);
  }
}

/** Rows of the least and the greatest time. Compares 32-bit halves: a bigint per row would be an allocation per row. */
function extremes(times: BigInt64Array, rows: number): [least: number, greatest: number] {
  const halves = new Int32Array(times.buffer, times.byteOffset, rows * 2);
  let least = 0;
  let greatest = 0;
  for (let row = 1; row < rows; row++) {
    if (isLess(halves, row, least)) least = row;
    else if (isLess(halves, greatest, row)) greatest = row;
  }
  return [least, greatest];
}

/** Is the 64-bit integer at `a` below that at `b`? Little-endian: low half first. */
function isLess(halves: Int32Array, a: number, b: number): boolean {
  const highA = halves[a * 2 + 1]!;
  const highB = halves[b * 2 + 1]!;
  return highA < highB || (highA === highB && halves[a * 2]! >>> 0 < halves[b * 2]! >>> 0);
}

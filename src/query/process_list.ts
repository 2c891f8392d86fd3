/**
 * Statements that run right now: ids, start times, and the handle that stops each.
 * Invariant: an entry lives exactly as long as its statement holds a permit.
 */
import type { Session } from "./api.ts";

export interface RunningStatement {
  /** `address/number`, as KILL takes it. */
  readonly id: string;
  /** The number alone, as `KILL QUERY n` takes it. */
  readonly number: number;
  readonly sql: string;
  readonly db: string;
  readonly protocol: Session["protocol"];
  readonly user: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly startedMs: number;
}

export class ProcessList {
  #next = 1;
  readonly #entries = new Map<number, { info: RunningStatement; stop: () => void }>();

  constructor(readonly address: string) {}

  add(sql: string, session: Session, startedMs: number, stop: () => void): RunningStatement {
    const number = this.#next++;
    const info: RunningStatement = {
      id: `${this.address}/${number}`,
      number,
      sql,
      db: session.db,
      protocol: session.protocol,
      user: session.user,
      startedMs,
    };
    this.#entries.set(number, { info, stop });
    return info;
  }

  remove(number: number): void {
    this.#entries.delete(number);
  }

  list(): RunningStatement[] {
    return [...this.#entries.values()].map((entry) => entry.info);
  }

  /** By id or bare number. */
  find(id: string): RunningStatement | undefined {
    return this.#entry(id)?.info;
  }

  /** Stops a statement by its id or bare number. False when no such statement runs. */
  kill(id: string): boolean {
    const entry = this.#entry(id);
    entry?.stop();
    return entry !== undefined;
  }

  #entry(id: string) {
    const own = `${this.address}/`;
    return this.#entries.get(Number(id.startsWith(own) ? id.slice(own.length) : id));
  }
}

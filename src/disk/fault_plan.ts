/**
 * A plan of disk failures, for tests: which step fails, with what, once or until it is healed.
 * The faulty stores ask it before each step. It decides; it never touches a disk.
 */
import { assert } from "../base/mod.ts";

/** The steps that can fail. `folder_sync` fails after the new name is already visible: the outcome is in doubt. */
export const FAULT_STEPS = [
  "open",
  "write",
  "sync",
  "rename",
  "folder_sync",
  "truncate",
  "delete",
  "read",
] as const;
export type FaultStep = (typeof FAULT_STEPS)[number];

export interface Fault {
  readonly step: FaultStep;
  /** Which of these steps from now on, 1 = the next. */
  readonly nth: number;
  readonly code: "ENOSPC" | "EIO";
  /** `true`: this and all later ones fail until heal(). */
  readonly lasting?: boolean;
  /** Share of the bytes that land before a write fails, 0 to 1. Default 0. */
  readonly landed?: number;
}

interface Armed extends Fault {
  seen: number;
}

export class FaultPlan {
  #faults: Armed[] = [];
  readonly #counts = new Map<FaultStep, number>();

  /** Arms a fault; several may be armed at once. */
  fail(fault: Fault): this {
    assert(fault.nth >= 1, "the first step is number 1");
    this.#faults.push({ ...fault, seen: 0 });
    return this;
  }

  /** The disk works again. */
  heal(): void {
    this.#faults = [];
  }

  /** Steps of this kind asked for so far, failed ones included. */
  count(step: FaultStep): number {
    return this.#counts.get(step) ?? 0;
  }

  /** Counts the step; returns the fault that strikes it. */
  strike(step: FaultStep): Fault | undefined {
    this.#counts.set(step, this.count(step) + 1);
    let hit: Armed | undefined;
    for (const fault of this.#faults) {
      if (fault.step !== step) continue;
      fault.seen++;
      const strikes = fault.lasting ? fault.seen >= fault.nth : fault.seen === fault.nth;
      if (strikes) hit ??= fault;
    }
    return hit;
  }

  /** Counts the step; throws the system's error if a fault strikes it. */
  step(step: FaultStep, name: string): void {
    const fault = this.strike(step);
    if (fault) throw faultError(fault, name);
  }
}

/** The error as Node throws it. */
export function faultError(fault: Fault, name: string): Error {
  const text = fault.code === "ENOSPC" ? "no space left on device" : "i/o error";
  return Object.assign(new Error(`${fault.code}: ${text}, ${fault.step} '${name}' (injected)`), {
    code: fault.code,
    syscall: fault.step,
  });
}

/** A run in a metered engine: from the same bytes of memory, within its fuel, with a name for each way in which it fails. */
import type { SandboxFailed, SandboxFailure } from './limits.ts';
import type { MeteredInstance } from './metered_instance.ts';
import { MOST_FUEL } from './metered_module.ts';

/** A failure on the way, thrown to where the result is made. */
export class Failed extends Error {
  readonly failure: SandboxFailure;
  constructor(failure: SandboxFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** What is run, and within what. */
export interface MeteredRun<T> {
  /** From 1 to `MOST_FUEL`. */
  readonly fuel: number;
  /** The text is none that is run: `syntax`. */
  readonly isRefused: boolean;
  /** What is trusted, before the fuel counts. */
  prepare(): void;
  work(): T;
}

/** What came of it, and the fuel that it took. */
export type MeteredResult<T> = { readonly ok: true; readonly value: T; readonly fuel: number } | SandboxFailed;

/**
 * @param reasons  what a failure is called in a verdict
 * @throws RangeError for fuel that the meter does not hold, and whatever `work` throws that is no failure of a run
 */
export function runMetered<T>(
  instance: MeteredInstance,
  reasons: Readonly<Record<SandboxFailure, string>>,
  { fuel, isRefused, prepare, work }: MeteredRun<T>,
): MeteredResult<T> {
  if (!(Number.isInteger(fuel) && fuel >= 1 && fuel <= MOST_FUEL)) {
    throw new RangeError(`fuel: ${fuel} — a whole number from 1 to ${MOST_FUEL}`);
  }
  const failed = (failure: SandboxFailure, used: number): SandboxFailed => ({
    ok: false,
    failure,
    reason: reasons[failure],
    fuel: used,
  });
  if (isRefused) return failed('syntax', 0);
  instance.restore(MOST_FUEL);
  prepare();
  instance.refuel(fuel);
  try {
    const value = work();
    return { ok: true, value, fuel: fuel - instance.fuel };
  } catch (error) {
    const left = instance.fuel;
    if (left < 0) return failed('fuel', fuel);
    if (error instanceof Failed) return failed(error.failure, fuel - left);
    // A RangeError is of the host's own stack, which in Node is twice as deep as any program gets.
    if (instance.isTooDeep || error instanceof RangeError) return failed('stack', fuel - left);
    throw error;
  }
}

/** The latest right completion of each problem, in plain data: of bounded size, and part of the checkpoint. */
import type { TaskItem } from '../../../../src/data/task.ts';
import { problemKey } from '../../../../src/methods/ledger.ts';
import type { Stateful } from '../../../../src/methods/stateful.ts';
import { fromPlain } from '../../../../src/methods/support/rollouts/load_rollouts.ts';
import { requirePlain } from '../../../../src/methods/support/rollouts/rollout_forms.ts';
import { toPlain } from '../../../../src/methods/support/rollouts/save_rollouts.ts';
import { isRight, type Json, type Rollout } from '../kit.ts';

/** A right completion, and the optimizer steps of the stage when it was sampled. */
export interface Success {
  readonly step: number;
  readonly rollout: Rollout;
}

/** Problems whose latest success is kept; beyond, those solved longest ago are forgotten. */
const REMEMBERED = 4096;

export class SuccessCache implements Stateful {
  /** In the order in which they were solved. */
  readonly #successes = new Map<string, { readonly step: number; readonly rollout: Json }>();

  /** The last success, where it is no older than `oldest` steps. */
  get(item: TaskItem, step: number, oldest: number): Success | undefined {
    const known = this.#successes.get(problemKey(item));
    if (known === undefined || step - known.step > oldest) return undefined;
    return { step: known.step, rollout: fromPlain(known.rollout) };
  }

  keep(item: TaskItem, step: number, rollout: Rollout): void {
    const key = problemKey(item);
    this.#successes.delete(key);
    this.#successes.set(key, { step, rollout: toPlain(rollout) });
    const [oldest] = this.#successes.keys();
    if (this.#successes.size > REMEMBERED) this.#successes.delete(oldest);
  }

  state(): Json {
    return [...this.#successes].map(([problem, { step, rollout }]) => [problem, step, rollout]);
  }

  /** @throws TypeError where that is no state of these */
  restore(state: Json): void {
    this.#successes.clear();
    const rows = state as readonly (readonly [string, number, Json])[]; // written by `state`
    for (const [problem, step, rollout] of rows) {
      requirePlain(rollout);
      this.#successes.set(problem, { step, rollout });
    }
  }
}

/** As it is trained once more: of a policy that has moved on since. @param now  optimizer steps of the stage */
export function replayed({ rollout, step }: Success, now: number): Rollout {
  return { ...rollout, isOffPolicy: true, origin: 'replay', age: now - step };
}

/** A right one that was sampled under the problem as it is asked, or is trained under it: with a hint it is no success. */
export function ownSuccess(rollouts: readonly Rollout[]): Rollout | undefined {
  return rollouts.find((one) => isRight(one) && one.prompt === undefined);
}

/** Completions of a step that a failed reward leaves out of baseline and loss (`reward_on_error: exclude`). */
import { PluginError } from '../../errors.ts';
import { percent } from '../../format.ts';
import type { RewardFailure } from '../../rewards/reward_function.ts';

/** Share of the completions of a step above which the run stops: what is left would be a choice of the failure. */
const MOST_EXCLUDED = 0.05;

export function rewardFailed(failures: readonly RewardFailure[], more = ''): PluginError {
  const message = failures.map((failure) => failure.message).join('\n');
  return new PluginError('reward-failed', `${message}${more}`, { failures });
}

/** Counts over the rounds of sampling that make up a step. */
export class Exclusions {
  count = 0;
  #all = 0;
  readonly #failures: RewardFailure[] = [];

  /** What failed, in words, each function of each round once. */
  get reasons(): readonly string[] {
    return this.#failures.map(({ message }) => message);
  }

  /** @returns the completions of this round that are left out, by place */
  add(failures: readonly RewardFailure[], completions: number): ReadonlySet<number> {
    const out = new Set(failures.flatMap(({ rows }) => rows));
    this.#failures.push(...failures);
    this.#all += completions;
    this.count += out.size;
    return out;
  }

  /** @throws PluginError where too many are left out */
  requireFew(): void {
    if (this.count <= MOST_EXCLUDED * this.#all) return;
    const share = `${this.count} of ${this.#all} completions`;
    throw rewardFailed(
      this.#failures,
      `\n${share} would be left out of the step by reward_on_error: exclude, more than ${percent(MOST_EXCLUDED)}.`,
    );
  }
}

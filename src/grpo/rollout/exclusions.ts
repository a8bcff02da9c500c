/** Completions excluded from baseline and loss because a reward failed (`reward_on_error: exclude`). */
import { PluginError } from '../../errors.ts';
import { percent } from '../../format.ts';
import type { RewardFailure } from '../../rewards/reward_function.ts';

/** Share of a step's completions above which the run stops: the failure would select what is learned. */
const MOST_EXCLUDED = 0.05;

export function rewardFailed(failures: readonly RewardFailure[], more = ''): PluginError {
  const message = failures.map((failure) => failure.message).join('\n');
  return new PluginError('reward-failed', `${message}${more}`, { failures });
}

/** Counts over a step's rounds of sampling. */
export class Exclusions {
  count = 0;
  #all = 0;
  readonly #failures: RewardFailure[] = [];

  /** The failures in words, once per function and round. */
  get reasons(): readonly string[] {
    return this.#failures.map(({ message }) => message);
  }

  /** @returns indices of the completions of this round that are excluded */
  add(failures: readonly RewardFailure[], completions: number): ReadonlySet<number> {
    const out = new Set(failures.flatMap(({ rows }) => rows));
    this.#failures.push(...failures);
    this.#all += completions;
    this.count += out.size;
    return out;
  }

  /** @throws PluginError if too many are excluded */
  requireFew(): void {
    if (this.count <= MOST_EXCLUDED * this.#all) return;
    const share = `${this.count} of ${this.#all} completions`;
    throw rewardFailed(
      this.#failures,
      `\n${share} would be left out of the step by reward_on_error: exclude, more than ${percent(MOST_EXCLUDED)}.`,
    );
  }
}

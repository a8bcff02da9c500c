/** Group steps by themselves: rewards in, rewards out. */
import { rngFor } from '../../../../src/kernels/philox.ts';
import { methodStates, restoreMethods } from '../../../../src/methods/part_states.ts';
import type { Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import type { GrpoStageConfig } from '../../../../src/methods/stage.ts';
import { combineRewards } from '../../../../src/rewards/reward_function.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';

/** A completion as a test writes it: the value of each reward, and what the verifier said. */
export interface Row {
  readonly parts: readonly (number | null)[];
  readonly verdict?: Partial<Verdict>;
  readonly text?: string;
}

export interface Shaped {
  readonly groups: readonly RolloutGroup[];
  /** [groups][completions] totals. */
  readonly rewards: readonly (readonly (number | null)[])[];
  /** What the steps have logged, as `<id>/<name>`. */
  readonly logged: Readonly<Record<string, number>>;
}

/** The group steps of a stage, tried on groups of rows. */
export class StepTrial {
  readonly stage: GrpoStageConfig;
  readonly #methods: ReturnType<typeof createMethods>;

  /** @param rewards  of the stage, as `reward_funcs` lists them, @param lines  further keys of it */
  constructor(steps: string, rewards = '[accuracy, positions, lcs]', ...lines: readonly string[]) {
    this.stage = stageOf(`group_steps: [${steps}]`, `reward_funcs: ${rewards}`, ...lines);
    this.#methods = createMethods(this.stage);
  }

  apply(groups: readonly (readonly Row[])[], step = 0): Shaped {
    this.#methods.moveTo(step);
    const logged: Record<string, number> = {};
    const before: readonly RolloutGroup[] = groups.map((rows) => groupOf(rows.map((row) => this.#rolloutOf(row))));
    const after = this.#methods.groupSteps.reduce((all, { id, part }) => {
      const metric = (name: string, value: number): void => {
        logged[`${id}/${name}`] = value;
      };
      return part.apply(all, { ...stepContext(this.stage, step), rng: rngFor(`${id}|${step}`), metric });
    }, before);
    return { groups: after, rewards: after.map(({ rollouts }) => rollouts.map(({ reward }) => reward)), logged };
  }

  /** Of one group whose first reward has these values. */
  rewardsOf(values: readonly (number | null)[], step = 0): readonly (number | null)[] {
    return this.apply([values.map((value) => ({ parts: [value] }))], step).rewards[0];
  }

  /** What a checkpoint would hold, as it comes back from JSON. */
  get state(): ReturnType<typeof methodStates> {
    return JSON.parse(JSON.stringify(methodStates(this.#methods)));
  }

  set state(states: ReturnType<typeof methodStates>) {
    restoreMethods(this.#methods, states);
  }

  #rolloutOf({ parts, verdict, text = '' }: Row): Rollout {
    const all = this.stage.rewards.map((_, k) => parts[k] ?? null);
    const [reward] = combineRewards(
      all.map((part) => [part]),
      this.stage.rewards.map(({ weight }) => weight),
    );
    const score = parts[0] === 1 ? 1 : 0;
    const said: Verdict = { score, status: score === 1 ? 'correct' : 'incorrect', reason: '', ...verdict };
    return { ...rolloutOf(2, reward), text, verdict: said, rewardParts: all };
  }
}

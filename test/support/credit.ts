/** Credited groups by hand, and the credit step that a line of YAML asks for. */

import type { StepContext } from '../../src/methods/method.ts';
import type { CreditStep } from '../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import type { StageUses } from '../../src/methods/uses/stage_uses.ts';
import { createMethods } from './everything.ts';
import { groupOf, rolloutOf } from './rollouts.ts';
import { stageOf } from './stages.ts';
import { stepContext } from './steps.ts';

export interface GivenRollout extends Partial<Rollout> {
  /** Default 2. */
  readonly length?: number;
  readonly advantage?: number;
  /** [tokens]; of all rollouts of a group or of none. */
  readonly byToken?: readonly number[];
}

export function creditedGroup(given: readonly GivenRollout[], rest: Partial<CreditedGroup> = {}): CreditedGroup {
  const rollouts = given.map(({ length = 2, advantage: _, byToken, ...own }): Rollout => {
    const { reward = 1 } = own;
    return { ...rolloutOf(own.tokens?.length ?? byToken?.length ?? length, reward), ...own };
  });
  const byToken = given.flatMap((rollout) => (rollout.byToken ? [Float32Array.from(rollout.byToken)] : []));
  return {
    ...groupOf(rollouts),
    advantages: Float32Array.from(given, ({ advantage = 0 }) => advantage),
    ...(byToken.length > 0 && { tokenAdvantages: byToken }),
    ...rest,
  };
}

/** A group of these advantages, one completion each. */
export function groupOfAdvantages(...advantages: readonly number[]): CreditedGroup {
  return creditedGroup(advantages.map((advantage) => ({ advantage, reward: advantage > 0 ? 1 : 0 })));
}

export interface StepUnderTest {
  readonly part: CreditStep;
  apply(groups: readonly CreditedGroup[]): readonly CreditedGroup[];
  readonly uses: StageUses;
  /** What it logged last, by name. */
  readonly logged: Readonly<Record<string, number>>;
}

/** The credit step of these options, as the YAML spells them. */
export function creditStep(
  name: string,
  options: Readonly<Record<string, number | string>> = {},
  told: Partial<StepContext> = {},
): StepUnderTest {
  const stage = stageOf(`credit_steps: [${JSON.stringify({ name, ...options })}]`);
  const {
    creditSteps: [{ part }],
    uses,
  } = createMethods(stage);
  const logged: Record<string, number> = {};
  const context = {
    ...stepContext(stage),
    ...told,
    metric: (key: string, value: number) => {
      logged[key] = value;
    },
  };
  return { part, uses, apply: (groups) => part.apply(groups, context), logged };
}

export const advantagesOf = (groups: readonly CreditedGroup[]): number[][] =>
  groups.map(({ advantages }) => [...advantages]);

export const tokenAdvantagesOf = ({ tokenAdvantages = [] }: CreditedGroup): number[][] =>
  tokenAdvantages.map((own) => [...own]);

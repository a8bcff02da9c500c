/** Credit steps act in the order of the list, and in no other. */
import { expect, it } from 'vitest';
import type { CreditedGroup } from '../../../../../src/methods/records.ts';
import { creditedGroup } from '../../../../../test/support/credit.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

/** Weights of two tokens that are sure, of positive advantage, behind these steps. */
function weightsBehind(...names: readonly string[]) {
  const stage = stageOf(`credit_steps: [${names.join(', ')}]`);
  const { creditSteps } = createMethods(stage);
  expect(creditSteps.map(({ id }) => id)).toEqual(names);
  const group = creditedGroup([{ advantage: 1 }]);
  const [made] = creditSteps.reduce<readonly CreditedGroup[]>(
    (groups, { part }) => part.apply(groups, stepContext(stage)),
    [group],
  );
  return { weights: made.tokenWeights?.map((own) => [...own]), advantages: [...made.advantages] };
}

it('a guard in front of a shaper sees the advantages as they came, behind it as they were made', () => {
  expect(weightsBehind('entropy-guard', 'sample-sign')).toEqual({ weights: [[0, 0]], advantages: [0] });
  expect(weightsBehind('sample-sign', 'entropy-guard')).toEqual({ weights: undefined, advantages: [0] });
});

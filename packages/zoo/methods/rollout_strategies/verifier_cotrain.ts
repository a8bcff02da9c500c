/**
 * In verifying steps, right and wrong answers of the batch are judged, and the answers themselves carry no loss. The
 * verifier learns from outcomes alone, and judges steps all the same.
 */

import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import type { RollOut, Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { integer, isRight, keys, meanOf, method, number, shareRight } from '../kit.ts';
import { balancedAnswers } from '../support/rollouts/answers.ts';
import {
  beginningsOf,
  demonstratedVerdict,
  JUDGED_PARTS,
  type JudgedParts,
  sampledVerdicts,
  VERDICT_WORDS,
  verdictGroups,
} from '../support/rollouts/verdict_words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

export const verifierCotrain = method({
  id: 'verifier-cotrain',
  about: {
    does: 'Trains a solver and a verifier of its answers in turn, as two roles of one policy.',
    names: ['RL Tango', 'generator and verifier'],
    formula:
      'solver_steps: R + verdict_weight·(1 − progress)·share of <yes> after its beginnings; verifier_steps: R = 1 where <yes> or <no> is the verdict of the rule',
    source: '2505.15034',
    certainty: 'after the paper',
    when: 'Where a verifier of partial answers is wanted as well; the two roles share steps and a small model’s capacity.',
  },
  options: keys({
    solverSteps: integer({ min: 1, max: 1_000_000, example: 3 })
      .default(3)
      .describe('Optimizer steps in a row that solve.'),
    verifierSteps: integer({ min: 0, max: 1_000_000, example: 1 })
      .default(1)
      .describe('Optimizer steps after them that verify.'),
    verdictWeight: number({ min: 0, example: 0.5 })
      .default(0.5)
      .describe('Of the verdicts beside the reward, at the beginning of the stage; it falls to 0.'),
    judged: JUDGED_PARTS,
  }),
  uses: ({ judged }) => [words(VERDICT_WORDS), replies(1), ...(judged === 'steps' ? [solutionSteps] : [])],
  demonstrate: demonstratedVerdict,
  tells: ['judges'],
  readsVerdicts: true,
  pays: { does: 'changes' },
  work: ({ verdictWeight }, { batch: { numGenerations } }, { prompt, completion }) => ({
    rows: verdictWeight === 0 ? 0 : numGenerations * (prompt + completion),
  }),
  create: ({ solverSteps, verifierSteps, verdictWeight, judged }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { step, progress } = tools;
      const groups = await next(requests);
      if (step % (solverSteps + verifierSteps) >= solverSteps) return verify(groups, next, tools, numGenerations);
      const weight = verdictWeight * (1 - progress);
      return weight === 0 ? groups : payVerdicts(groups, next, tools, { weight, judged });
    },
  }),
});

/** As many groups of verdicts as there are that solve; those that solve carry no loss. */
async function verify(
  groups: readonly RolloutGroup[],
  next: RollOut,
  tools: RolloutTools,
  samples: number,
): Promise<readonly RolloutGroup[]> {
  const { rng, metric, regroup } = tools;
  const verdicts = await verdictGroups(balancedAnswers(groups, groups.length, rng), samples, next, tools);
  metric('verifies', 1);
  metric('accuracy', shareRight(verdicts));
  const unlearned = groups.map((group) =>
    regroup(
      group,
      group.rollouts.map((one): Rollout => ({ ...one, inLoss: false })),
    ),
  );
  return [...unlearned, ...verdicts];
}

interface Paid {
  readonly weight: number;
  readonly judged: JudgedParts;
}

/** The groups, paid by what the verifier says of each answer besides; what it says is not trained on. */
async function payVerdicts(
  groups: readonly RolloutGroup[],
  next: RollOut,
  tools: RolloutTools,
  { weight, judged }: Paid,
): Promise<readonly RolloutGroup[]> {
  const { metric, regroup } = tools;
  const claims = groups.flatMap(({ item, rollouts }) =>
    rollouts.flatMap((rollout) => beginningsOf(rollout, judged).map((tokens) => ({ item, tokens }))),
  );
  const verdicts = await sampledVerdicts(claims, next, tools);
  const [ofRight, ofWrong]: [number[], number[]] = [[], []];
  const paid = groups.map((group) =>
    regroup(
      group,
      group.rollouts.map((one) => {
        const own = verdicts.splice(0, beginningsOf(one, judged).length);
        const share = own.filter(Boolean).length / own.length;
        (isRight(one) ? ofRight : ofWrong).push(share);
        return one.reward === null ? one : { ...one, reward: one.reward + weight * share };
      }),
    ),
  );
  metric('verifies', 0);
  if (ofRight.length > 0) metric('yes_of_right', meanOf(ofRight));
  if (ofWrong.length > 0) metric('yes_of_wrong', meanOf(ofWrong));
  return paid;
}

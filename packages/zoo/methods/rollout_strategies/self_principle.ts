/**
 * The share of verdicts that call a beginning right is the score of that step, and an answer is paid the mean of its
 * steps. The rule's verdict is logged, and decides nothing.
 */
import { isRight, shareRight } from '../../../../src/methods/support/rollouts/right.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import {
  choice,
  integer,
  key,
  keys,
  laterKey,
  meanOf,
  method,
  number,
  type Rollout,
  type RolloutStrategy,
} from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import {
  beginningsOf,
  demonstratedReferenceVerdict,
  demonstratedVerdict,
  JUDGED_PARTS,
  REFERENCE_WORD,
  type ReferenceOf,
  sampledVerdicts,
  VERDICT_WORDS,
  verdictGroups,
} from '../support/rollouts/verdict_words.ts';
import { rightAnswers } from '../uses/answers.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

export const selfPrinciple = method({
  id: 'self-principle',
  about: {
    does: 'Pays answers by how often the policy itself calls their steps right, and trains it to judge as most of its verdicts do.',
    names: ['SPARK', 'self-consistent verification', 'process rewards without labels'],
    formula:
      'R = mean over steps of the share of verdicts that say <yes>; judging: R = 1 where a verdict is that of the majority',
    source: '2512.03244',
    certainty: 'after the paper',
    when: 'Where there is no verifier and the policy already judges steps better than chance; weak judges reward themselves.',
  },
  options: keys({
    labelledReward: changedReward,
    verdictsAsked: key(
      'verdicts',
      integer({ min: 1, max: 64, example: 4 }).default(4).describe('Verdicts on each beginning of an answer.'),
    ),
    judgeShare: number({ min: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Groups that judge, for each that solves.'),
    labelledParts: key('judged', JUDGED_PARTS),
    judgeSees: laterKey(
      'shows',
      choice(['nothing', 'reference'])
        .default('nothing')
        .describe("reference: verdicts are given beside the task's right answer, which an answer may word otherwise."),
    ),
  }),
  uses: ({ labelledParts, judgeSees }) => [
    words({ ...VERDICT_WORDS, ...(judgeSees === 'reference' && REFERENCE_WORD) }),
    replies(judgeSees === 'reference' ? 2 : 1),
    ...(labelledParts === 'steps' ? [solutionSteps] : []),
    ...(judgeSees === 'reference' ? [rightAnswers] : []),
  ],
  conflict: changeConflict,
  pays: paysReward('replaces'),
  relabels: true,
  demonstrate: (problem, { judgeSees }) =>
    judgeSees === 'reference' ? demonstratedReferenceVerdict(problem) : demonstratedVerdict(problem),
  tells: ['judges'],
  work: ({ verdictsAsked }, { batch: { numGenerations } }, { prompt, completion }) => ({
    rows: verdictsAsked * numGenerations * (prompt + completion),
  }),
  create: ({ labelledReward, verdictsAsked, judgeShare, labelledParts, judgeSees }, stage): RolloutStrategy => {
    const target = targetOf(stage, labelledReward);
    const { numGenerations } = stage.batch;
    return {
      async rollOut(requests, next, tools) {
        const { rng, metric, regroup, solution } = tools;
        const referenceOf: ReferenceOf = (item) => (judgeSees === 'reference' ? solution(item) : undefined);
        const groups = await next(requests);
        const claims = groups.flatMap(({ item, rollouts }) =>
          rollouts
            .flatMap((one) =>
              beginningsOf(one, labelledParts).flatMap((tokens) => Array<typeof tokens>(verdictsAsked).fill(tokens)),
            )
            .map((tokens) => ({ item, tokens })),
        );
        const verdicts = await sampledVerdicts(claims, next, tools, referenceOf);
        const labels = new Map<Rollout, number>();
        const paid = groups.map((group) =>
          regroup(
            group,
            group.rollouts.map((one) => {
              const count = beginningsOf(one, labelledParts).length * verdictsAsked;
              const label = meanOf(verdicts.splice(0, count).map(Number));
              labels.set(one, label);
              return target.write(one, label);
            }),
          ),
        );
        const told = [...labels].map(([one, label]) => Number(label >= 0.5 === isRight(one)));
        metric('label', meanOf([...labels.values()]));
        metric('label_accuracy', meanOf(told));
        metric('accuracy', shareRight(groups));
        const answers = groups.flatMap((group) => group.rollouts.map((rollout) => ({ group, rollout })));
        const judged = rng.shuffle(answers).slice(0, Math.round(judgeShare * groups.length));
        if (judged.length === 0) return paid;
        const isLabelled = (one: Rollout): boolean => (labels.get(one) ?? 0) >= 0.5;
        return [...paid, ...(await verdictGroups(judged, numGenerations, next, tools, isLabelled, referenceOf))];
      },
    };
  },
});

/**
 * The sneaky role is asked for by the word <sneaky>. What convinces the verifier and is wrong is what its next verdicts
 * are trained on.
 */
import type { GroupRequest, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { isRight, keys, method, number, shareRight } from '../kit.ts';
import { answerTokens, balancedAnswers } from '../support/rollouts/answers.ts';
import {
  demonstratedVerdict,
  sampledVerdicts,
  VERDICT_WORDS,
  verdictGroups,
} from '../support/rollouts/verdict_words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

const SNEAKY = '<sneaky>';

export const proverVerifier = method({
  id: 'prover-verifier',
  about: {
    does: 'Trains a verifier on answers of two roles of the same policy: one that solves, and one that is to convince it of what is wrong.',
    names: ['Prover-Verifier Games', 'legibility', 'sneaky prover'],
    formula:
      'helpful: R + convincing_weight·[right and accepted]; sneaky: [wrong and accepted]; verifier: [its verdict is that of the rule]',
    source: '2407.13692',
    certainty: 'after the paper',
    when: 'To train a verifier on convincing mistakes, or answers that it can check; costs accuracy of the solver in the source.',
  },
  options: keys({
    sneakyShare: number({ above: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Groups of the sneaky prover, and as many of the verifier, for each that solves.'),
    convincingWeight: number({ min: 0, example: 0.5 })
      .default(0.5)
      .describe('What a right answer that the verifier accepts is worth besides.'),
  }),
  uses: () => [words({ ...VERDICT_WORDS, [SNEAKY]: 'Give an answer that looks right and is wrong.' }), replies(1)],
  demonstrate: demonstratedVerdict,
  tells: ['judges'],
  readsVerdicts: true,
  pays: { does: 'changes' },
  work: ({ sneakyShare }, { batch: { numGenerations } }, { prompt, completion }) => ({
    rows: (1 + sneakyShare) * numGenerations * (prompt + completion),
  }),
  create: ({ sneakyShare, convincingWeight }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { rng, metric, followUp } = tools;
      const count = Math.max(1, Math.round(sneakyShare * requests.length));
      const asked = requests.slice(0, count).map(({ item }): GroupRequest => {
        return { item, samples: numGenerations, prompt: followUp(item, [new Int32Array(), SNEAKY]), kind: 'sneaky' };
      });
      const helpful = await next(requests);
      const sneaky = (await next(asked)).map((group): RolloutGroup => ({ ...group, kind: 'sneaky' }));
      const all = [...helpful, ...sneaky];
      const claims = all.flatMap(({ item, rollouts }) => rollouts.map((one) => ({ item, tokens: answerTokens(one) })));
      const accepted = await sampledVerdicts(claims, next, tools);
      const verdicts = await verdictGroups(balancedAnswers(all, count, rng), numGenerations, next, tools);
      metric('sneaky_wrong', 1 - shareRight(sneaky));
      metric('verifier_accuracy', shareRight(verdicts));
      const solved = paid(helpful, accepted, tools, (right, isAccepted, reward) =>
        right && isAccepted ? reward + convincingWeight : reward,
      );
      const deceived = paid(sneaky, accepted, tools, (right, isAccepted) => (!right && isAccepted ? 1 : 0));
      metric(
        'deceived',
        deceived.flatMap(({ rollouts }) => rollouts).filter(({ reward }) => reward === 1).length /
          (count * numGenerations),
      );
      return [...solved, ...deceived, ...verdicts];
    },
  }),
});

/** The groups with other rewards. @param accepted  verdicts on their completions in order and on others after them; those are taken off */
function paid(
  groups: readonly RolloutGroup[],
  accepted: boolean[],
  { regroup }: Pick<RolloutTools, 'regroup'>,
  worth: (right: boolean, accepted: boolean, reward: number) => number,
): RolloutGroup[] {
  return groups.map((group) =>
    regroup(
      group,
      group.rollouts.map((one) => {
        const isAccepted = accepted.shift() === true;
        return one.reward === null && group.kind === undefined
          ? one
          : { ...one, reward: worth(isRight(one), isAccepted, one.reward ?? 0) };
      }),
    ),
  );
}

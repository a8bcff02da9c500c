/** Groups of verdicts are of a kind of their own, normalised by themselves beside those that solve. */
import { integer, isRight, key, keys, method, number, type RolloutStrategy } from '../kit.ts';
import { balancedAnswers } from '../support/rollouts/answers.ts';
import {
  demonstratedVerdict,
  NO,
  shareSaying,
  VERDICT_WORDS,
  verdictGroups,
  YES,
} from '../support/rollouts/verdict_words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

export const selfVerify = method({
  id: 'self-verify',
  about: {
    does: 'Lets the policy judge its own answers, and trains it on verdicts that are those of the verifier.',
    names: ['RISE', 'Trust, But Verify', 'role-batches'],
    formula:
      'R = 1 where <yes> or <no> after problem, answer and <verify> is the verdict of the verifier; groups of their own',
    source: '2505.13445',
    certainty: 'after the paper',
  },
  options: keys({
    verifiedShare: key(
      'verify_share',
      number({ above: 0, max: 1, example: 0.25 }).default(0.25).describe('Groups that verify, for each that solves.'),
    ),
    firstVerifyStep: integer({ min: 0, example: 10 })
      .default(0)
      .describe('Optimizer steps of the stage before the first.'),
  }),
  uses: () => [words(VERDICT_WORDS), replies(1)],
  demonstrate: demonstratedVerdict,
  tells: ['judges'],
  readsVerdicts: 'some', // to judge a share of the completions is what it is for: groups of its own are paid for it
  work: ({ verifiedShare }, _, { prompt, completion }) => ({ rows: verifiedShare * (prompt + completion) }),
  create: ({ verifiedShare, firstVerifyStep }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { step, rng, metric, said } = tools;
      const groups = await next(requests);
      const count = Math.round(verifiedShare * groups.length);
      if (step < firstVerifyStep || count === 0) return groups;
      const [yes, no] = [said(YES), said(NO)];
      const answers = balancedAnswers(groups, count, rng);
      const verdicts = await verdictGroups(answers, numGenerations, next, tools);
      const about = (right: boolean) =>
        verdicts.flatMap(({ rollouts }, i) => (isRight(answers[i].rollout) === right ? rollouts : []));
      const [ofRight, ofWrong] = [about(true), about(false)];
      const all = [...ofRight, ...ofWrong];
      if (ofRight.length > 0) metric('true_positive_rate', shareSaying(ofRight, [yes, no], yes));
      if (ofWrong.length > 0) metric('false_positive_rate', shareSaying(ofWrong, [yes, no], yes));
      metric('says_yes', shareSaying(all, [yes, no], yes));
      metric('says_no', shareSaying(all, [yes, no], no));
      metric('right', ofRight.length / all.length);
      metric('accuracy', all.filter(isRight).length / all.length);
      return [...groups, ...verdicts];
    },
  }),
});

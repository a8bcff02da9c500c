/**
 * Credits each token by what a teacher that knows more would have thought of it: the reference, under a prompt that
 * shows a right completion of the group, or what was wrong with this one. It is the teacher of `sdpo` at the price of
 * one log-prob a token, and as a part of the advantage, which the objective clips and weighs as it does all. Averaged
 * over the policy's own tokens that is −KL(π‖q), so that it draws the policy to the teacher. Where the teacher sees no
 * more and is the policy, it is 0 to the bit. Off-policy completions, and those of a prompt of their own, have none.
 *
 * A teacher of its own (`teacher_from: teacher`) reads what the policy has read. With a weight of 1 that is the recipe of
 * on-policy distillation by single tokens: the negative reverse KL of each as its advantage, without a baseline.
 */

import { addTokenCredit } from '../../../../src/methods/support/credit/token_returns.ts';
import {
  type CreditStep,
  carriesLoss,
  choice,
  key,
  keys,
  laterKey,
  meanOf,
  method,
  number,
  usesMethod,
} from '../kit.ts';
import { knowingPrompt, TEACHER_SHOWS, teacherUses } from '../support/rollouts/knowing_teacher.ts';
import { modelLogprobs } from '../uses/model_logprobs.ts';
import { teacherLogprobs } from '../uses/teacher_logprobs.ts';

/** What a teacher that is shown this thinks of each token. */
const taughtBy = (from: 'reference' | 'teacher', shows: Parameters<typeof knowingPrompt>[2]) =>
  from === 'teacher'
    ? modelLogprobs
    : teacherLogprobs((group, rollout, tools) => knowingPrompt(group, rollout, shows, tools));

export const teacherCredit = method({
  id: 'teacher-credit',
  about: {
    does: 'Adds to the advantage of each token how much likelier a teacher finds it that sees a right completion, or what was wrong.',
    names: ['dense teacher credit', 'on-policy distillation'],
    formula:
      'A_t ← A_t + teacher_weight·clip(log q(o_t | problem, shown) − log π(o_t), ±teacher_cap); q of the reference',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    teacherWeight: number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the difference, per nat.'),
    teacherCap: number({ above: 0, example: 5 }).default(5).describe('Nats of a token that count, at most.'),
    teacherShown: key('teacher_shows', TEACHER_SHOWS),
    teacherFrom: laterKey(
      'teacher_from',
      choice(['reference', 'teacher'])
        .default('reference')
        .describe('reference, which is shown more; teacher: models.teacher, which reads what the policy has read.'),
    ),
  }),
  uses({ teacherWeight, teacherShown, teacherFrom }, { batch: { numGenerations } }) {
    if (teacherWeight === 0) return [];
    const own = taughtBy(teacherFrom, teacherShown);
    return teacherFrom === 'teacher' ? [own] : [...teacherUses(teacherShown, numGenerations), own];
  },
  note: ({ teacherFrom }, methods) =>
    teacherFrom === 'teacher' || usesMethod(methods, 'ref-ema')
      ? undefined
      : 'the teacher is the policy as it was at the start of the stage; add ref-ema to controllers for one that learns',
  demonstrate: ({ item, answer, shown, ended }, { teacherWeight, teacherFrom }) =>
    teacherWeight === 0 || teacherFrom === 'teacher'
      ? undefined
      : { prompt: shown(item, answer), tokens: ended(answer) },
  readsVerdicts: ({ teacherFrom, teacherShown }) => teacherFrom === 'reference' && teacherShown !== 'solution',
  create: ({ teacherWeight, teacherCap, teacherShown, teacherFrom }): CreditStep => ({
    apply(groups, { metric }) {
      if (teacherWeight === 0) return groups;
      const differences: number[] = [];
      let taught = 0;
      const credited = addTokenCredit(groups, (rollout) => {
        const taughtLogprobs = taughtBy(teacherFrom, teacherShown).of(rollout);
        if (taughtLogprobs === undefined) return undefined;
        taught++;
        return taughtLogprobs.map((value, t) => {
          if (!carriesLoss(rollout, t)) return 0;
          const difference = value - rollout.logprobs[t];
          differences.push(difference);
          return teacherWeight * Math.min(teacherCap, Math.max(-teacherCap, difference));
        });
      });
      metric('taught', taught / Math.max(1, groups.flatMap(({ rollouts }) => rollouts).length));
      metric('difference', meanOf(differences));
      return credited;
    },
  }),
});

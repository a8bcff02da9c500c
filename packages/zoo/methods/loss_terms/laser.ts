/**
 * Teaches the policy to tell whether its completion is right, by a token that it gives no other use: the score v of
 * `packages/zoo/methods/support/rollouts/self_score.ts`, read at one place after the completion, is drawn to the verdict.
 *
 *   L += laser_coef·mean_i w_i·(v_i − R_i)²      by log π(z): 2·laser_coef·w_i·(v_i − R_i)·score_scale/n
 *
 * R is 1 or 0, as the verifier says, w_i = n/(2·n_class) makes right and wrong completions count the same, and those that were
 * cut off are left out. A policy that was trained so scores its answers where no verifier is; `self-score-mix` learns from
 * that score besides. The token is read in a pass of its own after the rollouts', which the paper has for one token more.
 */
import { type CreditedGroup, isRight, key, type LossTerm, meanOf, method, number, type TrainedText } from '../kit.ts';
import {
  isScoredByItself,
  SELF_SCORE,
  SELF_SCORE_AGREES,
  SELF_SCORE_OPTIONS,
  selfScore,
  selfScoreUses,
} from '../support/rollouts/self_score.ts';

export const laser = method({
  id: 'laser',
  about: {
    does: 'Teaches the policy to score its own completions, by the log-prob of a token after them.',
    names: ['LaSeR', 'last-token self-rewarding'],
    formula:
      'laser_coef·mean_i w_i·(v_i − R_i)², v = score_scale·(log π(z | q, y) − score_constant), w = n/(2·n_class)',
    source: '2510.14943',
    certainty: 'paper',
    when: 'To have the policy score its own answers at no extra sampling; the score is only as good as the verdicts it learns.',
  },
  options: {
    laserWeight: key(
      'laser_coef',
      number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the squared error.'),
    ),
    ...SELF_SCORE_OPTIONS,
  },
  uses: ({ laserWeight, ...options }) => (laserWeight === 0 ? [] : selfScoreUses(options)),
  readsVerdicts: true,
  agrees: SELF_SCORE_AGREES,
  create: ({ laserWeight, ...options }): LossTerm => {
    let scored: readonly ScoredCompletion[] = [];
    let next = 0;
    let scores: Readonly<Record<'right' | 'wrong', number[]>> = { right: [], wrong: [] };
    return {
      coupling: 'token',
      device: {}, // it adds nothing to the rollouts' rows
      add() {},
      begin(groups) {
        scored = laserWeight === 0 ? [] : scoredCompletions(groups);
        next = 0;
        scores = { right: [], wrong: [] };
      },
      texts({ wordTokens }) {
        return scored.map(({ prompt, behind }): TrainedText => ({ prompt, behind, tokens: wordTokens(SELF_SCORE) }));
      },
      addTexts(texts, gradients, { vocabularySize }) {
        const score = selfScore(options, vocabularySize);
        texts.forEach(({ logprobs }, i) => {
          const { right, weight } = scored[next++];
          const { losses, dLogprobs } = gradients[i];
          const v = score.at(logprobs.reduce((sum, value) => sum + value, 0));
          const error = v - (right ? 1 : 0);
          losses[0] += laserWeight * weight * error ** 2;
          for (let t = 0; t < dLogprobs.length; t++) dLogprobs[t] += 2 * laserWeight * weight * error * score.slope;
          scores[right ? 'right' : 'wrong'].push(v);
        });
      },
      afterUpdate() {
        const { right, wrong } = scores;
        const told = [...right.map((v) => v > 0.5), ...wrong.map((v) => v <= 0.5)];
        return {
          ...(right.length > 0 && { 'laser/score_right': meanOf(right) }),
          ...(wrong.length > 0 && { 'laser/score_wrong': meanOf(wrong) }),
          ...(told.length > 0 && { 'laser/told': told.filter(Boolean).length / told.length }),
        };
      },
    };
  },
});

interface ScoredCompletion {
  readonly prompt: Int32Array;
  readonly behind: Int32Array;
  readonly right: boolean;
  /** Weight of its squared error in the mean. */
  readonly weight: number;
}

/** Those that solve and have ended. */
function scoredCompletions(groups: readonly CreditedGroup[]): ScoredCompletion[] {
  const ended = groups
    .filter(({ kind }) => kind === undefined)
    .flatMap(({ prompt, rollouts }) =>
      rollouts.filter(isScoredByItself).map((rollout) => ({
        prompt: rollout.prompt ?? prompt,
        behind: rollout.tokens,
        right: isRight(rollout),
      })),
    );
  const ofClass = (asked: boolean): number => ended.filter(({ right }) => right === asked).length;
  const [right, wrong] = [ofClass(true), ofClass(false)];
  return ended.map((one) => ({ ...one, weight: 1 / (2 * (one.right ? right : wrong)) }));
}

/**
 * How right a policy finds its own completion, without writing a word: the log-prob of a token that it would never write,
 * at the place after the completion, on a scale where 1 is right and 0 wrong. arXiv:2510.14943 (LaSeR).
 *
 *   v = score_scale·(log π(z | q, y) − score_constant)
 *
 * In the paper the constant is what a language model gives to the token unasked, −23. Where none is given it is −ln V, what
 * a policy that knows nothing gives to each of V tokens, and the scale 1/ln V, so that certainty is worth 1; this is ours.
 */
import type { Use } from '../../../../../src/methods/uses/use.ts';
import { keys, number, optional, type Rollout, text } from '../../kit.ts';
import { wordsBehind } from '../../uses/room.ts';
import { words } from '../../uses/words.ts';

/** A further token of a closed vocabulary; in a pretrained model `score_token`. */
export const SELF_SCORE = '<self-score>';

/** Options of each method that reads or trains the score: those of a stage take the same. */
export const SELF_SCORE_OPTIONS = keys({
  scoreToken: text('<|fim_pad|>')
    .default('<|vision_start|>')
    .describe('z in a pretrained model: a token of its own that completions never have.'),
  scoreConstant: optional(number({ below: 0, example: -23 })).describe(
    'Log-prob of that token where the score is 0. Default: that of a token of a uniform distribution.',
  ),
  scoreScale: optional(number({ above: 0, example: 0.1 })).describe(
    'How much a nat is worth. Default: as much as makes certainty worth 1.',
  ),
});

/** Their names: the score that is read is the one that is trained. */
export const SELF_SCORE_AGREES = Object.values(SELF_SCORE_OPTIONS).map(({ yaml }) => yaml);

/** The options as they are given; equal ones mean the same score. */
export interface SelfScoreOptions {
  readonly scoreToken: string;
  readonly scoreConstant?: number | undefined;
  readonly scoreScale?: number | undefined;
}

/** What a method that reads or trains the score uses. */
export function selfScoreUses({ scoreToken }: SelfScoreOptions): Use[] {
  return [words({ [SELF_SCORE]: scoreToken }), wordsBehind];
}

/** v of a log-prob, and its derivative. */
export function selfScore({ scoreConstant, scoreScale }: Omit<SelfScoreOptions, 'scoreToken'>, vocabularySize: number) {
  const constant = scoreConstant ?? -Math.log(vocabularySize);
  const scale = scoreScale ?? 1 / Math.abs(constant);
  return { at: (logprob: number): number => scale * (logprob - constant), slope: scale };
}

/** A completion that was cut off has no end to score it at. */
export function isScoredByItself({ finishReason, inLoss }: Pick<Rollout, 'finishReason' | 'inLoss'>): boolean {
  return finishReason !== 'length' && inLoss !== false;
}

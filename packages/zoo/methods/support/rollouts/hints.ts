/**
 * What strategies that show a hint have in common: how much of it, where it is shown, and which prompt its completions are
 * trained under.
 *
 *   hint_in: answer   a completion begins with a part of a solution
 *   hint_in: prompt   the prompt shows the hint, one of the task's own where it gives some
 *   trained: hinted   as it was sampled, on-policy; the beginning of an answer carries no loss
 *   trained: unhinted as if no hint had been there: the ratio is that of π(token | no hint) to what it was sampled with,
 *                     which is 1 for a token of the hint. Guide's ratio, arXiv:2506.13923
 */
import type { TaskItem } from '../../../../../src/data/task.ts';
import type { Use } from '../../../../../src/methods/uses/use.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import type { DemonstratedProblem, GroupRequest, Rollout, RolloutGroup, RolloutTools, TrainedText } from '../../kit.ts';
import { choice, key, keys } from '../../kit.ts';
import { answerBeginnings } from '../../uses/answers.ts';
import { shownTexts } from '../../uses/room.ts';

export const HINT_OPTIONS = {
  hintPlace: key(
    'hint_in',
    choice(['answer', 'prompt'], 'not a place of a hint')
      .default('answer')
      .describe('answer: completions begin with a part of a solution; prompt: the prompt shows a hint.'),
  ),
};

export const TRAINED_OPTION = keys({
  trained: choice(['hinted', 'unhinted'], 'not a way to train')
    .default('hinted')
    .describe('hinted: under the prompt and hint that they were sampled with; unhinted: as if without the hint.'),
});

export interface HintOptions {
  readonly hintPlace: 'answer' | 'prompt';
}

export interface TrainedOptions {
  readonly trained: 'hinted' | 'unhinted';
}

type HintTools = Pick<RolloutTools, 'solution' | 'hints' | 'shown'>;

/**
 * The hints of a problem, from little to much: those of the task where the prompt shows them and it has some, else
 * beginnings of a solution. None where an answer is a single token.
 *
 * @param most  how many
 */
export function hintsOf(
  item: TaskItem,
  most: number,
  { hintPlace }: HintOptions,
  { solution, hints }: HintTools,
): readonly Int32Array[] {
  const own = hintPlace === 'prompt' ? hints(item) : [];
  if (own.length > 0) return own.slice(0, most);
  const answer = solution(item);
  if (answer.length < 2) return [];
  return Array.from({ length: most }, (_, i) => beginning(answer, (i + 1) / (most + 1)));
}

/** At least one token of an answer, and not all of them. */
export function beginning(answer: Int32Array, share: number): Int32Array {
  return answer.subarray(0, Math.min(answer.length - 1, Math.max(1, Math.floor(share * answer.length))));
}

/** A problem once more, with a hint. */
export function hinted(
  item: TaskItem,
  samples: number,
  hint: Int32Array,
  { hintPlace }: HintOptions,
  { shown }: HintTools,
): GroupRequest {
  const request = { item, samples, origin: 'hinted' };
  if (hintPlace === 'prompt') return { ...request, prompt: shown(item, hint) };
  return { ...request, prefixes: Array.from({ length: samples }, () => hint) };
}

/** What a method that shows hints asks of the run. */
export function hintUses({ hintPlace }: HintOptions): Use[] {
  return [answerBeginnings, ...(hintPlace === 'prompt' ? [shownTexts(1)] : [])];
}

/**
 * A demonstration after its own beginning, where prompts show hints: a policy that never saw such a prompt does not know
 * what precedes the problem.
 */
export function hintForm(
  { item, answer, rng, shown, ended }: DemonstratedProblem,
  { hintPlace }: HintOptions,
): TrainedText | undefined {
  if (hintPlace === 'answer' || answer.length < 2) return undefined;
  return { prompt: shown(item, beginning(answer, rng.float())), tokens: ended(answer) };
}

/** Whether completions are trained with the hint that they were sampled with. */
export function asSampled({ trained }: TrainedOptions): boolean {
  return trained === 'hinted';
}

/** A hinted group as it is trained. */
export function trained(group: RolloutGroup, options: TrainedOptions): RolloutGroup {
  return asSampled(options) ? group : { ...group, rollouts: group.rollouts.map(withoutHint) };
}

/** As if its hint had not been there. A token of the hint was put in for certain: it was sampled with log-prob 0. */
export function withoutHint(rollout: Rollout): Rollout {
  const { prompt, labels, ...rest } = rollout;
  return {
    ...rest,
    isOffPolicy: true,
    ...(prompt && { sampledUnder: prompt }),
    ...(labels && { labels: labels.map((label) => (label === TOKEN.given ? TOKEN.reference : label)) }),
  };
}

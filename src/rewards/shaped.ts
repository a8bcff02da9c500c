/** Rewards of a completion's form, length and variety, which are added to the verdict or modify it. */
import { flag, integer, key, number, options, text } from '../options/keys.ts';
import { extractAnswer, hasThinkFormat } from '../parsing/extract.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';
import { answerText } from './answer_text.ts';
import { defineReward } from './definition.ts';
import type { RewardBatch } from './reward_function.ts';

/** Words as they are separated by ASCII white space. */
function words(completion: string): string[] {
  return completion
    .toLowerCase()
    .split(/[ \t\r\n]+/)
    .filter((word) => word !== '');
}

/** Share of the n-grams that are there again, in [0, 1]; 0 for a text of fewer words. */
function repeatedShare(completion: string, n: number): number {
  const all = words(completion);
  const total = all.length - n + 1;
  if (total <= 0) return 0;
  const unique = new Set<string>();
  for (let i = 0; i < total; i++) unique.add(all.slice(i, i + n).join(' '));
  return 1 - unique.size / total;
}

/** An answer in tags and nothing around them. */
function isAnswerAlone(completion: string): boolean {
  const trimmed = trimAscii(completion);
  return trimmed.startsWith('<answer>') && trimmed.endsWith('</answer>') && extractAnswer(trimmed, 'only').ok;
}

export const formatReward = defineReward({
  does: '1 for <think>…</think> <answer>…</answer>, each once, filled and alone; else 0. As a gate it makes the form a condition.',
  options: options({
    think: flag()
      .default(true)
      .describe('Whether the part in think tags is asked for; without it, the answer is all there is.'),
    prefill: text('<think>').optional().describe('What the prompt has already opened. Default: nothing.'),
  }),
  create: ({ think, prefill = '' }) => ({
    name: 'format',
    range: [0, 1],
    score: ({ completions }) =>
      completions.map((completion) =>
        (think ? hasThinkFormat(completion, prefill) : isAnswerAlone(prefill + completion)) ? 1 : 0,
      ),
  }),
});

export const repetitionReward = defineReward({
  does: 'The share of n-grams of words that repeat an earlier one, times max_penalty.',
  options: {
    ngramSize: key('ngram_size', integer({ min: 1, max: 100, example: 3 }).default(3).describe('Words of an n-gram.')),
    maxPenalty: key(
      'max_penalty',
      number({ max: 0, example: -1 }).default(-1).describe('The reward where all are repeated.'),
    ),
  },
  create: ({ ngramSize, maxPenalty }) => ({
    name: 'repetition',
    range: [maxPenalty, 0],
    score: ({ completions }) => completions.map((completion) => repeatedShare(completion, ngramSize) * maxPenalty),
  }),
});

const share = (example: number) => number({ example });

export const cosineReward = defineReward({
  does: 'Right answers are worth less the longer they are, wrong ones cost less: half a cosine over the length.',
  options: {
    minCorrect: key('min_value_correct', share(0.5).default(0.5).describe('A right answer of max_len tokens.')),
    maxCorrect: key('max_value_correct', share(1).default(1).describe('A right answer of no length.')),
    minWrong: key('min_value_wrong', share(-1).default(-1).describe('A wrong answer of no length.')),
    maxWrong: key('max_value_wrong', share(-0.5).default(-0.5).describe('A wrong answer of max_len tokens.')),
    maxLength: key('max_len', integer({ min: 1, example: 1000 }).describe('Tokens from which on nothing changes.')),
  },
  create: ({ minCorrect, maxCorrect, minWrong, maxWrong, maxLength }) => ({
    name: 'cosine',
    score: ({ completionTokens, verdicts }) =>
      completionTokens.map(({ length }, i) => {
        const score = verdicts[i]?.score ?? null;
        if (score === null) return null;
        const [start, end] = score === 1 ? [maxCorrect, minCorrect] : [minWrong, maxWrong];
        return end + ((start - end) * (1 + Math.cos(Math.PI * Math.min(1, length / maxLength)))) / 2;
      }),
  }),
});

export const ternaryReward = defineReward({
  does: 'A right answer, one that is refused, and a wrong one have a reward each: guessing can cost more than it gives.',
  options: options({
    right: share(1).default(1).describe('Of a right answer.'),
    refused: share(0).default(0).describe('Of the phrase alone.'),
    wrong: share(-1).default(-1).describe('Of anything else.'),
    phrase: text("I don't know").default("I don't know").describe('What refuses to answer, as the whole answer.'),
  }),
  rules: ({ right, refused, wrong }) =>
    wrong < refused && refused < right
      ? []
      : [{ key: 'refused', rule: `must lie between wrong (${wrong}) and right (${right}); choose one there` }],
  create: ({ right, refused, wrong, phrase }) => ({
    name: 'ternary',
    range: [wrong, right],
    score: ({ completions, verdicts }) =>
      completions.map((completion, i) => {
        const score = verdicts[i]?.score ?? null;
        if (score === null) return null;
        if (score === 1) return right;
        return answerText(completion) === phrase ? refused : wrong;
      }),
  }),
});

/** Unreadable answers are one class. */
function classOf({ verdicts }: RewardBatch, row: number): string {
  const canonical = verdicts[row]?.canonical;
  return canonical === undefined ? '' : `=${canonical}`;
}

export const diversityReward = defineReward({
  does: "The verdict's score, times the share of the group's other completions whose answer is another one.",
  options: {},
  create: () => ({
    name: 'diversity',
    range: [0, 1],
    score: (batch) => {
      const sizes = new Map<number, number>();
      const alike = new Map<string, number>();
      const count = <K>(counts: Map<K, number>, name: K) => counts.set(name, (counts.get(name) ?? 0) + 1);
      const names = Array.from(batch.groupOf, (group, row) => `${group}${classOf(batch, row)}`);
      for (const group of batch.groupOf) count(sizes, group);
      for (const name of names) count(alike, name);
      return batch.verdicts.map(({ score }, row) => {
        const otherCount = (sizes.get(batch.groupOf[row] as number) ?? 1) - 1;
        if (score === null || otherCount === 0) return score;
        const same = (alike.get(names[row] as string) ?? 1) - 1;
        return (score * (otherCount - same)) / otherCount;
      });
    },
  }),
});

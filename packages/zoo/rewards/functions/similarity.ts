/**
 * How alike answer and truth are, by words or characters.
 *
 *   token-f1   2·|common words, as often as both have them| / (m + n)
 *   jaccard    |common words| / |words of either|, each once
 *   rouge-l    2·LCS(words) / (m + n)
 *   bleu       brevity·(Π p_n)^(1/N) of n-grams of 1 to 4 words, those above 1 smoothed by (hits + 1)/(all + 1)
 *   chrf       F of n-grams of 1 to 6 characters without white space, mean precision and recall, recall counting twice (β = 2)
 *
 * Capitals and small letters are alike to each of them.
 *
 * A proxy: where the prompt is like the truth, it teaches to copy the prompt. So an answer that holds more than a share of the
 * prompt in one piece is worth 0, unless the truth does too.
 */
import { choice, number, options } from '../../../../src/options/keys.ts';
import { longestCommonSubsequence } from '../../../../src/parsing/common_subsequence.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { tokensOf } from '../../parsing/visible_words.ts';
import { truthColumn } from '../shared_options.ts';
import { comparing, textForm } from '../truth.ts';

/** Longer texts would take too long to compare. */
const LONGEST = 4096;
const BLEU_WORDS = 4;
const CHRF_CHARACTERS = 6;
const CHRF_BETA = 2;

const MEASURES = { 'token-f1': tokenF1, jaccard, 'rouge-l': rougeL, bleu, chrf };
type Measure = keyof typeof MEASURES;

export const similarityReward = defineReward({
  does: 'How alike answer and truth are: token-F1, Jaccard, ROUGE-L, BLEU or chrF; 0 for a copy of the prompt. A proxy: train on it with a gate before it, and watch the accuracy.',
  options: options({
    measure: choice(['token-f1', 'jaccard', 'rouge-l', 'bleu', 'chrf'])
      .default('token-f1')
      .describe(
        'What is compared: words as a bag or as a set, words in their order, n-grams of words, or n-grams of characters.',
      ),
    most_copied: number({ above: 0, max: 1, example: 0.6 })
      .default(0.6)
      .describe('An answer with more than this share of the prompt in one piece is worth 0; 1 allows all.'),
    column: truthColumn,
  }),
  create: ({ measure, most_copied: mostCopied, column }) =>
    comparing({
      name: 'similarity',
      range: [0, 1],
      truth: textForm,
      column,
      ifCut: 0,
      score(answer, truth, { prompt }) {
        if (answer.length > LONGEST || truth.length > LONGEST) return 0;
        if (copies(answer, prompt, mostCopied) && !copies(truth, prompt, mostCopied)) return 0;
        return similarity(measure, answer, truth);
      },
    }),
});

/** In [0, 1]; 1 for the same text. */
export function similarity(measure: Measure, answer: string, truth: string): number {
  return MEASURES[measure](answer, truth);
}

/** Whether a text holds a longer piece of a source than a share of it, in capitals or small letters. */
function copies(text: string, source: string, most: number): boolean {
  const [own, given] = [text.toLowerCase(), source.toLowerCase()];
  const length = Math.floor(given.length * most) + 1;
  for (let start = 0; start + length <= given.length; start++) {
    if (own.includes(given.slice(start, start + length))) return true;
  }
  return false;
}

function countsOf<T>(all: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Elements that two lists have in common, each as often as both have it. */
function hits(a: readonly string[], b: readonly string[]): number {
  const right = countsOf(b);
  let total = 0;
  for (const [one, count] of countsOf(a)) total += Math.min(count, right.get(one) ?? 0);
  return total;
}

function tokenF1(answer: string, truth: string): number {
  const [a, b] = [tokensOf(answer), tokensOf(truth)];
  return a.length + b.length === 0 ? 0 : (2 * hits(a, b)) / (a.length + b.length);
}

function jaccard(answer: string, truth: string): number {
  const [a, b] = [new Set(tokensOf(answer)), new Set(tokensOf(truth))];
  const either = new Set([...a, ...b]).size;
  return either === 0 ? 0 : (a.size + b.size - either) / either;
}

function rougeL(answer: string, truth: string): number {
  const [a, b] = [tokensOf(answer), tokensOf(truth)];
  return a.length + b.length === 0 ? 0 : (2 * longestCommonSubsequence(a, b)) / (a.length + b.length);
}

function gramsOf(all: readonly string[], n: number): string[] {
  return Array.from({ length: Math.max(0, all.length - n + 1) }, (_, i) => all.slice(i, i + n).join(' '));
}

function bleu(answer: string, truth: string): number {
  const [a, b] = [tokensOf(answer), tokensOf(truth)];
  const orders = Math.min(BLEU_WORDS, a.length, b.length);
  if (orders === 0) return 0;
  let logs = 0;
  for (let n = 1; n <= orders; n++) {
    const grams = gramsOf(a, n);
    const smoothing = n > 1 ? 1 : 0;
    logs += Math.log((hits(grams, gramsOf(b, n)) + smoothing) / (grams.length + smoothing));
  }
  return Math.min(1, Math.exp(1 - b.length / a.length)) * Math.exp(logs / orders);
}

function chrf(answer: string, truth: string): number {
  const [a, b] = [answer, truth].map((text) => text.toLowerCase().replaceAll(/\s+/gu, '').split(''));
  const orders = Math.min(CHRF_CHARACTERS, a.length, b.length);
  let precision = 0;
  let recall = 0;
  for (let n = 1; n <= orders; n++) {
    const [own, right] = [gramsOf(a, n), gramsOf(b, n)];
    const hitCount = hits(own, right);
    precision += hitCount / own.length / orders;
    recall += hitCount / right.length / orders;
  }
  if (precision + recall === 0) return 0;
  return ((1 + CHRF_BETA ** 2) * precision * recall) / (CHRF_BETA ** 2 * precision + recall);
}

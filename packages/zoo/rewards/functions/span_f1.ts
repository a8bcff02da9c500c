/**
 * How well marked places fit: F1 = 2·|A ∩ B| / (|A| + |B|) of the whole numbers that the spans of answer and truth cover. A
 * place counts once, so spans that are there twice pay nothing, and marking everything costs precision.
 */
import { options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { type Span, spansForm } from '../spans.ts';
import { comparing } from '../truth.ts';

export const spanF1Reward = defineReward({
  does: 'F1 of the places that the spans of an answer, such as 3-7;12-15, have in common with those of the truth.',
  options: options({ column: truthColumn }),
  create: ({ column }) =>
    comparing({
      name: 'span-f1',
      range: [0, 1],
      truth: spansForm,
      column,
      score(answer, truth) {
        const spans = spansForm.read(answer);
        if (spans === undefined) return 0;
        const [own, right] = [united(spans), united(truth)];
        return (2 * common(own, right)) / (sizeOf(own) + sizeOf(right));
      },
    }),
});

/** The same places in spans that do not overlap, in order. */
function united(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = merged[merged.length - 1];
    if (last === undefined || from > last[1]) merged.push([from, to]);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return merged;
}

const sizeOf = (spans: readonly Span[]): number => spans.reduce((sum, [from, to]) => sum + to - from + 1, 0);

function common(a: readonly Span[], b: readonly Span[]): number {
  let total = 0;
  for (const [from, to] of a) {
    for (const [start, end] of b) total += Math.max(0, Math.min(to, end) - Math.max(from, start) + 1);
  }
  return total;
}

/** However an optimizer step is cut into micro-batches, of whole groups or of parts of them, each method of its loss has the same gradient, but for one. */
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  type Answer,
  answered,
  credit,
  gradientOf,
  nudge,
  reinforced,
  update,
} from '../../../../test/grpo/step_parts.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { METHODS } from '../../../../test/support/everything.ts';
import { describeMethod } from '../../catalogue/catalogue.ts';
import { needsTurns } from '../support/played_methods.ts';

/** Of different lengths and none of them dead; rewards are labels, some of them right. */
const ANSWERS: readonly (readonly Answer[])[] = [
  [
    { text: 'ab', reward: 1 },
    { text: 'abcde', reward: 0 },
    { text: '', reward: 0.5 },
    { text: 'zyx', reward: 0.25 },
  ],
  [
    { text: 'q', reward: 0 },
    { text: 'rst', reward: 1 },
    { text: 'u', reward: 0 },
    { text: 'vw', reward: 0.75 },
  ],
  [
    { text: 'uvwxyz', reward: 1 },
    { text: 'mno', reward: 0.5 },
    { text: 'pq', reward: 0 },
    { text: 'r', reward: 0.25 },
  ],
];

/** They compare the completions of a group. */
const COMPARING: readonly string[] = ['pacs', 'drpo', 'dpo-pairs', 'gepo', 'gvpo', 'tpo', 'preference'];

/** The gradient of one step, in micro-batches of so many completions. */
async function gradientIn(completions: number, onPolicy: boolean, keys: Readonly<Record<string, unknown>>) {
  const models = { teacher: { path: 'drawn' } };
  const run = await reinforced({ models, ...keys, per_device_train_batch_size: completions, learning_rate: 1e-30 });
  const groups = await answered(run, ANSWERS);
  // One of each group is right, so that methods which read verdicts act.
  const verified = groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => ({
      ...rollout,
      verdict: { ...rollout.verdict, score: rollout.reward === 1 ? 1 : 0 },
    })),
  }));
  const credited = await credit(run, verified);
  if (!onPolicy) {
    await nudge(run, 0.1);
    if (run.engine.policy.slots.sets.has('reference')) await run.engine.policy.copySet('reference', 'policy');
    await nudge(run, 0.1);
  }
  await update(run, credited, { onPolicy });
  return gradientOf(run);
}

const lossPoints = ['ratio', 'objective', 'tokenWeights', 'lossTerms', 'aggregation'] as const;
const methods = lossPoints.flatMap((point) =>
  // Those that act on turns are tried in played_runs.test.ts.
  METHODS[point]
    .filter((method) => !needsTurns(method) && method.id !== 'terms-only') // whose gradient is 0 by itself
    .map((method) => ({ id: method.id, keys: parse(describeMethod(point, method).yaml[0]) })),
);

describe.each(fewOf(methods, { quick: 9, all: 18 }))('$id', ({ id, keys }) => {
  it.each([true, false])('has the same gradient however the batch is cut, on-policy: %s', async (onPolicy) => {
    const whole = await gradientIn(12, onPolicy, keys);
    const norm = Math.hypot(...whole);
    expect(norm, stringify(keys)).toBeGreaterThan(0);
    const apart = async (completions: number): Promise<number> => {
      const cut = await gradientIn(completions, onPolicy, keys);
      return Math.hypot(...whole.map((value, i) => value - cut[i])) / norm;
    };
    if (id === 'micro-token-mean') expect(await apart(4)).toBeGreaterThan(1e-3);
    else expect(await apart(4)).toBeLessThanOrEqual(1e-6); // coefficients and derivatives are float32 on their way
    // Two parts of each group of four.
    if (COMPARING.includes(id)) await expect(apart(2)).rejects.toThrow(/a part of a group of 4, and .* compares/);
    else if (id !== 'micro-token-mean') expect(await apart(2)).toBeLessThanOrEqual(1e-6);
  });
});

/** Where an end is taken back, what takes its place, and what of it is trained on. */
import { describe, expect, it } from 'vitest';
import type { PartialCompletion } from '../../../../../src/methods/points.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

const line = (options: string): string => `token_controls: [{name: budget-forcing, ${options}}]`;
const QUICK = line('forced_text: z, min_tokens: 3, times: 2');

function instead(options: string, tokens: readonly number[]) {
  const [{ part }] = createMethods(stageOf(line(options))).tokenControls;
  const seen: PartialCompletion = {
    text: () => '',
    tokensOf: (written) => Int32Array.from(written, (letter) => letter.charCodeAt(0)),
    verdict: () => ({ score: 0, status: 'incorrect', reason: '' }),
  };
  return part.atEnd?.(Int32Array.from(tokens), groupOf([]).item, seen);
}

describe('budget-forcing', () => {
  it('puts its text in the place of an end that comes too soon, so many times', () => {
    const options = 'forced_text: "AB", min_tokens: 6, times: 2';
    expect(instead(options, [])).toEqual([65, 66]);
    expect(instead(options, [1, 65, 66])).toEqual([65, 66]);
    expect(instead(options, [65, 66, 1, 65, 66])).toBeUndefined();
    expect(instead(options, [1, 2, 3, 4, 5, 6])).toBeUndefined();
  });

  it('is plain sampling to the bit where no end is too soon', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: watched } = await wholeAndKilled(line('forced_text: z, min_tokens: 0'));
    expect(watched.sha256).toBe(plain.sha256);
    expect(watched.metrics).toEqual(plain.metrics.map((step) => ({ ...step, 'budget-forcing/acted': 0 })));
  });

  it('trains on what follows, on-policy to the bit, and neither on the end nor on what took its place', async () => {
    await withTossedRun(QUICK, async (run) => {
      const { groups } = await collect(run);
      const rollouts = groups.flatMap((group) => group.rollouts);
      const made = rollouts.filter(({ labels }) => labels?.includes(TOKEN.given));
      expect(made.length).toBeGreaterThan(1);
      for (const { tokens, labels, logprobs, entropies, text } of made) {
        expect(tokens.length).toBeGreaterThan(1);
        labels?.forEach((label, t) => {
          expect(text[t] === 'z' || label !== TOKEN.given).toBe(true);
          if (label === TOKEN.given) expect([logprobs[t], entropies[t]]).toEqual([0, 0]);
        });
      }
      const ends = rollouts.filter(({ finishReason }) => finishReason === 'eos');
      expect(ends.every(({ tokens, text }) => tokens.length > 3 || text.split('z').length > 2)).toBe(true);
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
    });
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${QUICK}\ndynamic_sampling: refill\nnum_iterations: 2`);
    expect(killed).toEqual(whole);
  });
});

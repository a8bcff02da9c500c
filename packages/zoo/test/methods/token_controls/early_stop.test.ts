/** Where a completion is ended before the policy ends it, and what that changes of a step. */
import { describe, expect, it } from 'vitest';
import type { PartialCompletion } from '../../../../../src/methods/points.ts';
import { createMethods, remarksOn } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

const line = (options: string): string => `token_controls: [{name: early-stop, ${options}}]`;

function controlled(options: string, text: string, score: number) {
  const [{ part }] = createMethods(stageOf(line(options))).tokenControls;
  const seen: PartialCompletion = {
    text: () => text,
    tokensOf: () => new Int32Array(),
    verdict: () => ({ score, status: 'incorrect', reason: '' }),
  };
  return part.after?.(new Int32Array(1), groupOf([]).item, seen);
}

describe('early-stop', () => {
  it('ends a completion behind the tag that closes its answer, whatever that is', () => {
    expect(controlled('ends_at: tag', '<answer>5</answer', 1)).toBeUndefined();
    expect(controlled('ends_at: tag', '<answer>5</answer>', 0)).toBe('stop');
    expect(controlled('closing_tag: "]"', '[5]', 0)).toBe('stop');
  });

  it('or where the verifier takes what is written', () => {
    expect(controlled('ends_at: solved', '</answer>', 0)).toBeUndefined();
    expect(controlled('ends_at: solved', '5', 1)).toBe('stop');
  });

  it('says what an answer key that ends completions means', () => {
    const said = (options: string) => remarksOn(stageOf(line(options)));
    expect(said('ends_at: solved').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^the answer key ends/),
    );
    expect(said('ends_at: tag')).toEqual([]);
  });

  it('leaves completions that are right where they first are, on-policy to the bit', async () => {
    await withTossedRun(line('ends_at: solved'), async (run) => {
      const { metrics, batches } = await goOn(run, 2);
      const rollouts = batches.flatMap(({ groups }) => groups.flatMap((group) => group.rollouts));
      const stopped = rollouts.filter(({ finishReason }) => finishReason === 'stop');
      expect(stopped.length).toBeGreaterThan(4);
      expect(stopped.every(({ verdict }) => verdict.score === 1)).toBe(true);
      expect(metrics.map((step) => step['sampling/sampling_logp_difference/max'])).toEqual([0, 0]);
    });
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${line('ends_at: solved')}\ndynamic_sampling: refill`);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

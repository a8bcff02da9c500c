/** Recorded completions as data of other trainings. */
import { expect, it } from 'vitest';
import { routed } from '../../runs/routed.ts';

const line = (
  group: number,
  completion: string,
  reward: number | null,
  status = reward === 1 ? 'correct' : 'incorrect',
) => ({
  step: 1,
  group,
  prompt: `p${group}`,
  completion,
  reward,
  status,
});

it('sorts right completions, the best beside the worst, and problems that are solved sometimes, each once', () => {
  const lines = [line(0, 'a', 0.5), line(0, 'b', 1), line(0, 'c', 0), line(0, 'b', 1)];
  const all = [...lines, line(1, 'd', 1), line(1, 'd', 1), line(2, 'e', 0), line(2, 'f', 0), line(3, 'g', null)];
  expect(routed(all)).toEqual({
    sft: [
      { prompt: 'p0', completion: 'b' },
      { prompt: 'p1', completion: 'd' },
    ],
    pairs: [{ prompt: 'p0', chosen: 'b', rejected: 'c' }],
    prompts: [{ prompt: 'p0', solve_rate: 0.5 }],
  });
});

it('passes over lines of another form, and gives nothing of nothing', () => {
  expect(routed([{ prompt: 3 }, {}])).toEqual({ sft: [], pairs: [], prompts: [] });
});

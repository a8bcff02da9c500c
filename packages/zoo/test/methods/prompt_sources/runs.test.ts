/** Prompt sources through whole runs: what is asked, what it costs, and the same bits after a kill. */
import { describe, expect, it } from 'vitest';
import { goOn, type Seen, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';

const SOURCES = [
  '{name: few-shot-data, limit: 5}',
  '{name: prefilter, problems: 12, samples: 4}',
  '[{name: few-shot-data, limit: 8}, keep-range]',
  '[{name: few-shot-data, limit: 8}, {name: solve-rate-prune, solve_rate: 0.5, revisit_after: 2}]',
  '[{name: prefilter, problems: 12, samples: 4}, greedy-filter]',
  '[{name: few-shot-data, limit: 6}, weakness, {name: prioritized, candidates: 2}]',
];

const withRefill = (source: string): string =>
  `prompt_source: ${source}\ndynamic_sampling: {name: refill, max_rounds: 1}`;

describe.each(SOURCES)('%s', (source) => {
  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(withRefill(source));
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

describe('a run', () => {
  const keysOf = ({ batches }: Seen) => new Set(batches.flatMap(({ groups }) => groups.map(({ item }) => item.key)));

  it('on few problems asks these alone, and draws no others', async () => {
    await withTossedRun(withRefill('{name: few-shot-data, limit: 5}'), async (run) => {
      expect(keysOf(await goOn(run)).size).toBe(5);
      expect(run.journal.state.itemsDrawn).toBeLessThan(20);
    });
  });

  it('counts the tokens of what a source tries among those that were sampled', async () => {
    await withTossedRun(withRefill('{name: prefilter, problems: 12, samples: 4}'), async (run) => {
      const { metrics, batches } = await goOn(run, 1);
      const trained = batches.flatMap(({ groups }) => groups.flatMap(({ rollouts }) => rollouts));
      const sampled = trained.reduce((sum, { tokens }) => sum + tokens.length, 0);
      expect(metrics[0]['prefilter/tokens']).toBeGreaterThan(12 * 4);
      expect(run.journal.state.tokens).toBe(sampled + Number(metrics[0]['prefilter/tokens']));
      expect(run.journal.state.rolloutsDrawn).toBe(trained.length + 12 * 4);
    });
  });
});

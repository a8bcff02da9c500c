/** What the ledger and the solve rate count: what the policy did by itself, whatever strategies made of it. */
import { describe, expect, it } from 'vitest';
import type { RolloutGroup } from '../../../../src/methods/records.ts';
import { goOn, tossed, withTossedRun } from '../../../../test/support/killed_runs.ts';

const solved = ({ rollouts }: RolloutGroup): number =>
  rollouts.filter(({ verdict }) => verdict.score === 1).length / rollouts.length;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Ledger, batches and metrics of a run in which one completion in so many is right. */
function seen(strategies: string, onceIn: number) {
  const lines = `rollout_strategies: [${strategies}]\nprompt_source: {name: keep-range, lowest: 0, highest: 1}`;
  return withTossedRun(lines, async (run) => ({ ...(await goOn(run)), entries: new Map(run.ledger.entries()) }), {
    verify: tossed(onceIn),
  });
}

const right = (groups: readonly RolloutGroup[] = []): number => groups.filter((group) => solved(group) > 0).length;

describe('what the policy does by itself', () => {
  it.each([
    ['with a hint', '{name: hint-resample, hint_levels: 3}', 'hinted'],
    ['with a hint, as if without', '{name: hint-resample, hint_levels: 3, trained: unhinted}', 'hinted'],
    ['with the answer in sight', 'answer-conditioned', 'answered'],
    ['with the smallest hint', 'minimal-hint-replace', 'hinted'],
  ])('is what it solved before it was sampled %s', async (_, strategies, origin) => {
    const { batches, entries, metrics } = await seen(strategies, 7);
    let helped = 0;
    for (const [i, { groups, unaided = [] }] of batches.entries()) {
      expect(unaided.flatMap(({ rollouts }) => rollouts.map((one) => one.origin))).not.toContain(origin);
      helped += right(groups) - right(unaided);
      expect(metrics[i].solve_rate).toBeCloseTo(mean(unaided.map(solved)), 12);
    }
    expect(helped).toBeGreaterThan(0); // some that it failed were right with help, and trained on
    const visits = batches.flatMap(({ unaided = [] }) => unaided);
    for (const [key, { visits: count, solved: share }] of entries) {
      const own = visits.filter(({ item }) => item.key === key);
      expect(count).toBe(own.length);
      if (own.length === 1) expect(share).toBe(solved(own[0]));
    }
  });

  it('is every branch point of a group, not the branches', async () => {
    const { batches } = await seen('prefix-branch', 3);
    for (const { groups, unaided = [] } of batches) {
      expect(unaided.map(({ item }) => item.key)).toEqual(groups.map(({ item }) => item.key));
      expect(unaided.every(({ rollouts }) => rollouts.every(({ labels }) => labels === undefined))).toBe(true);
      expect(unaided[0].rollouts.length).toBeLessThan(groups[0].rollouts.length);
    }
  });

  it('is nothing where a scaffold stands before every completion: such a group is no visit', async () => {
    const { batches, entries, metrics } = await seen('{name: scaffold-decay, half_at: 1}', 3);
    expect(batches.flatMap(({ unaided = [] }) => unaided)).toEqual([]);
    expect(entries.size).toBe(0);
    expect(metrics[0]).not.toHaveProperty('solve_rate');
  });

  it('is what was asked, not what was answered once more behind drafts', async () => {
    const { batches } = await seen('pdr', 3);
    for (const { groups, unaided = [] } of batches) {
      expect(groups.flatMap(({ rollouts }) => rollouts).every(({ origin }) => origin === 'refined')).toBe(true);
      expect(unaided.flatMap(({ rollouts }) => rollouts).every(({ origin }) => origin === 'draft')).toBe(true);
      expect(unaided.length).toBeGreaterThan(0);
    }
  });
});

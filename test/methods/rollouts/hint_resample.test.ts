/** Problems that no completion solves, sampled again behind the beginning of a solution. */
import { describe, expect, it } from 'vitest';
import { createMethods } from '../../../src/methods/create.ts';
import type { GroupRequest, RolloutTools } from '../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../src/methods/records.ts';
import { TOKEN } from '../../../src/token_kinds.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../support/rollouts.ts';
import type { SmallRun } from '../../support/small_runs.ts';
import { stageOf } from '../../support/stages.ts';
import { stepContext } from '../../support/step_scopes.ts';

const LINE = 'rollout_strategies: [{name: hint-resample, hint_levels: 3}]';

/**
 * What is asked for three problems of solutions of eight tokens, which take this many of them as a hint, or `null`: no
 * hint helps; and what becomes of their groups.
 */
async function asked(helps: readonly (number | null)[], options = '', step = 3) {
  const stage = stageOf(`rollout_strategies: [{name: hint-resample${options}}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const items = helps.map((_, i) => ({ ...groupOf([]).item, key: String(i) }));
  const rounds: string[] = [];
  const logged: Record<string, number> = {};
  const tools: RolloutTools = {
    ...stepContext(stage, step),
    metric: (name, value) => {
      logged[name] = value;
    },
    draw: async () => [],
    solution: () => Int32Array.from({ length: 8 }, (_, t) => 10 + t),
    regroup: (group, rollouts) => ({ ...group, rollouts }),
  };
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    rounds.push(requests.map(({ item, prefixes }) => `${item.key}:${prefixes?.[1]?.length ?? 0}`).join(' '));
    return requests.map(({ item, samples, prefixes, origin }) => {
      const needed = helps[Number(item.key)];
      const isSolved = needed !== null && (prefixes?.[0]?.length ?? 0) >= needed;
      const rollouts = Array.from({ length: samples }, (_, i) => rolloutOf(2, isSolved && i === 0 ? 1 : 0));
      return { ...groupOf(rollouts.map((one) => ({ ...one, ...(origin && { origin }) }))), item };
    });
  };
  const groups = await part.rollOut(
    items.map((item) => ({ item, samples: 2 })),
    next,
    tools,
  );
  return { rounds, logged, origins: groups.map(({ rollouts }) => rollouts[0].origin ?? 'plain') };
}

describe('hint-resample', () => {
  it('shows a quarter, a half and three quarters of a solution until one completion is right', async () => {
    const { rounds, logged, origins } = await asked([0, 3, 6, null]);
    expect(rounds).toEqual(['0:0 1:0 2:0 3:0', '1:2 2:2 3:2', '1:4 2:4 3:4', '2:6 3:6']);
    expect(origins).toEqual(['plain', 'hinted', 'hinted', 'plain']);
    expect(logged).toMatchObject({ rate: 0.75, solved_at_1: 0, solved_at_2: 1 / 3, solved_at_3: 0.5 });
  });

  it('asks nothing further where every problem is solved, and before its first step', async () => {
    expect((await asked([0, 0])).rounds).toHaveLength(1);
    expect((await asked([3], ', first_hint_step: 4')).rounds).toHaveLength(1);
    expect((await asked([3], ', first_hint_step: 3')).rounds).toHaveLength(3);
  });

  const small: Partial<SmallRun> = { verify: tossed(11) };

  it('trains hinted groups on-policy to the bit, with no loss on what was shown', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const groups = batches.flatMap((batch) => batch.groups);
        const hinted = groups.filter(({ rollouts }) => rollouts[0].origin === 'hinted');
        expect(hinted.length).toBeGreaterThan(0);
        expect(hinted.length).toBeLessThan(groups.length);
        for (const { item, rollouts } of hinted) {
          const solution = run.tasks.codec.encode(item.answer);
          for (const { tokens, labels = new Uint8Array(), logprobs } of rollouts) {
            const shown = labels.lastIndexOf(TOKEN.given) + 1;
            expect(shown).toBeGreaterThan(0);
            expect(shown).toBeLessThan(solution.length);
            expect([...tokens.subarray(0, shown)]).toEqual([...solution.subarray(0, shown)]);
            expect([...labels]).toEqual(Array.from(tokens, (_, t) => (t < shown ? TOKEN.given : TOKEN.sampled)));
            expect(Math.max(...logprobs.subarray(shown))).toBeLessThan(0);
          }
        }
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
        expect(metrics.some((step) => Number(step['completions/hinted']) > 0)).toBe(true);
        const kept = groups.flatMap(({ rollouts }) => rollouts).reduce((sum, { tokens }) => sum + tokens.length, 0);
        expect(run.state.tokens).toBeGreaterThan(kept); // groups that no hint helped were sampled as well
      },
      small,
    );
  });

  it.each([LINE, `${LINE}\ndynamic_sampling: refill`, `${LINE}\nnum_iterations: 2\ntoken_controls: [repetition-stop]`])(
    'gives the same weights and metrics after a kill: %s',
    async (lines) => {
      const { whole, killed } = await wholeAndKilled(lines, small);
      expect(whole.metrics).toHaveLength(4);
      expect(killed).toEqual(whole);
    },
  );
});

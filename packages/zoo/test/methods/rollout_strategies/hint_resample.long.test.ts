/** Problems that no completion solves, sampled again behind the beginning of a solution. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../../src/grpo/run.ts';
import { openSupervised } from '../../../../../src/grpo/step.ts';
import { inForm } from '../../../../../src/grpo/update/demonstrated_forms.ts';
import { Ledger } from '../../../../../src/methods/ledger.ts';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import type { SmallRun } from '../../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const LINE = 'rollout_strategies: [{name: hint-resample, hint_levels: 3}]';

/**
 * What is asked for three problems of solutions of eight tokens, which take this many of them as a hint, or `null`: no
 * hint helps; and what becomes of their groups.
 */
async function asked(
  helps: readonly (number | null)[],
  options = '',
  step = 3,
  hints: readonly (readonly number[])[] = [],
  ledger = new Ledger(),
) {
  const stage = stageOf(`rollout_strategies: [{name: hint-resample${options}}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const items = helps.map((_, i) => ({ ...groupOf([]).item, key: String(i) }));
  const rounds: string[] = [];
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, {
    step,
    ledger,
    metric: metricsInto(logged),
    solution: () => Int32Array.from({ length: 8 }, (_, t) => 10 + t),
    hints: () => hints.map((hint) => Int32Array.from(hint)),
  });
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    rounds.push(
      requests
        .map(
          ({ item, prompt, prefixes }) => `${item.key}:${prompt ? `p${prompt.length}` : (prefixes?.[1]?.length ?? 0)}`,
        )
        .join(' '),
    );
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

  it('shows less to what was solved more often, and tells gains by what is new from gains by what was known', async () => {
    const ledger = new Ledger();
    // p: 0 → all three levels, 1/2 → ⌈3/2⌉ of them, 1 → none
    [[0], [0.5], [1], [0], [0.5]].forEach((history, key) => {
      ledger.record(history.map((share) => [String(key), share, 'c']), 0); // biome-ignore format: short
    });
    const { rounds, logged } = await asked([null, null, null, 0, 0], ', most_levels: by-rate', 3, [], ledger);
    expect(rounds.slice(1)).toEqual(['0:2 1:2', '0:4 1:4', '0:6']);
    expect(logged.capability).toBeCloseTo(1 / 5, 12); // the fourth
    expect(logged.compression).toBeCloseTo((-0.5 - 1 + 0) / 3, 12); // halves: 1/2 → 0, 1 → 0, 1/2 → 1/2
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
          const solution = run.engine.tasks.codec.encode(item.answer);
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
        expect(run.journal.state.tokens).toBeGreaterThan(kept); // groups that no hint helped were sampled as well
      },
      small,
    );
  });

  it.each(['answer', 'prompt'])(
    'trains on what a hint in the %s has led to as if it had not been there',
    async (place) => {
      await withTossedRun(
        `rollout_strategies: [{name: hint-resample, hint_in: ${place}, trained: unhinted}]`,
        async (run) => {
          const { metrics, batches } = await goOn(run);
          const hinted = batches
            .flatMap(({ groups }) => groups)
            .filter(({ rollouts }) => rollouts[0].origin === 'hinted');
          expect(hinted.length).toBeGreaterThan(0);
          for (const { prompt, rollouts } of hinted) {
            for (const { tokens, labels, logprobs, isOffPolicy, sampledUnder, ...rest } of rollouts) {
              expect(isOffPolicy).toBe(true);
              expect(rest.prompt).toBeUndefined();
              if (place === 'answer') {
                const shown = (labels?.lastIndexOf(TOKEN.reference) ?? -1) + 1;
                expect(shown).toBeGreaterThan(0);
                expect(labels).not.toContain(TOKEN.given);
                expect([...logprobs.subarray(0, shown)]).toEqual([...new Float32Array(shown)]);
                expect(Math.max(...logprobs.subarray(shown))).toBeLessThan(0);
              } else {
                expect(sampledUnder?.length).toBeGreaterThan(prompt.length + 1);
                expect(tokens.length).toBe(logprobs.length);
              }
            }
          }
          for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
          expect(metrics.some((step) => Number(step['clip_ratio/region_mean']) > 0)).toBe(true);
        },
        small,
      );
    },
  );

  it("shows a task's own hints in the prompt, and no more of them than it has", async () => {
    const { rounds } = await asked([9, 9], ', hint_in: prompt, hint_levels: 4', 3, [[5], [5, 6]]);
    expect(rounds).toEqual(['0:0 1:0', '0:p2 1:p2', '0:p3 1:p3']);
  });

  it('is shown to the policy by a supervised stage before it, where prompts show hints', async () => {
    const formsOf = (place: string) => {
      const grpo = `{stage: grpo, max_steps: 1, rollout_strategies: [{name: hint-resample, hint_in: ${place}}]}`;
      const yaml = `task: reverse_text\nstages: [{stage: sft, max_steps: 1}, ${grpo}]`;
      const work = async (run: TrainingRun) => {
        const { config } = run;
        const { tasks } = run.engine;
        const [stage] = config.stages;
        if (stage.stage !== 'sft') throw new Error('the first stage is supervised');
        return Array.from({ length: 60 }, (_, index) => {
          const item = tasks.trainItem(config.seed, index);
          const form = inForm(tasks, openSupervised(run, stage), item, index);
          if (form === undefined) return 0;
          const end = form.prompt.indexOf(tasks.codec.eosTokenId);
          expect([...form.prompt.subarray(end + 1)]).toEqual([...tasks.promptTokens(item)]);
          expect([...form.tokens.subarray(0, end)]).toEqual([...form.prompt.subarray(0, end)]);
          return 1;
        }).reduce((sum: number, one) => sum + one, 0);
      };
      return withTossedRun('', work, { yaml });
    };
    expect(await formsOf('answer')).toBe(0);
    const shown = await formsOf('prompt');
    expect(shown).toBeGreaterThan(5); // a quarter of 60
    expect(shown).toBeLessThan(30);
  });

  it('refuses a task whose answers have no part to show', async () => {
    const yaml = `task: parity\nmax_steps: 1\n${LINE}`;
    await expect(withTossedRun('', goOn, { yaml })).rejects.toThrow(/hint-resample: shows a part of a solution, and/);
  });

  const FORMS = [
    '[{name: hint-resample, trained: unhinted}]\nnum_iterations: 2',
    '[{name: hint-resample, hint_in: prompt}]\ndynamic_sampling: refill',
    '[{name: hint-resample, hint_in: prompt, trained: unhinted}]\nnum_iterations: 2',
  ].map((form) => `rollout_strategies: ${form}`);

  it.each([
    ...FORMS,
    LINE,
    `${LINE}\ndynamic_sampling: refill`,
    `${LINE}\nnum_iterations: 2\ntoken_controls: [repetition-stop]`,
  ])('gives the same weights and metrics after a kill: %s', async (lines) => {
    const { whole, killed } = await wholeAndKilled(lines, small);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

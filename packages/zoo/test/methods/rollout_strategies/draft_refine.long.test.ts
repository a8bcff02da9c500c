/** Drafts, and the answers behind the best of them: which is trained on, and under which prompt. */
import { describe, expect, it } from 'vitest';
import { followUpTokens } from '../../../../../src/data/prompts/follow_up.ts';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, longRun, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const LINE = 'rollout_strategies: [{name: draft-refine, drafts: 2}]';

const LONG = longRun(LINE);

describe('draft-refine', () => {
  it('goes on behind the draft of the highest reward, and drops the drafts', async () => {
    const stage = stageOf('rollout_strategies: [{name: draft-refine, drafts: 3}]');
    const [{ part }] = createMethods(stage).rolloutStrategies;
    const rounds: GroupRequest[] = [];
    const logged: Record<string, number> = {};
    const draft = (mark: number, reward: number | null) => ({
      ...rolloutOf(2, reward),
      tokens: Int32Array.of(mark, 1),
      text: String(mark),
    });
    const next = async (own: readonly GroupRequest[]) => {
      rounds.push(...own);
      if (own[0].prompt === undefined) return [groupOf([draft(7, null), draft(8, 1), draft(9, 1)])];
      return [groupOf([draft(8, 1), draft(5, 1)])];
    };
    const metric = metricsInto(logged);
    const groups = await part.rollOut([{ item: groupOf([]).item, samples: 2 }], next, rolloutTools(stage, { metric }));
    expect(rounds).toMatchObject([
      { samples: 3, origin: 'draft' },
      { samples: 2, origin: 'refined', prompt: Int32Array.of(8, 0) },
    ]);
    expect(groups.map(({ rollouts }) => rollouts.length)).toEqual([2]);
    expect(logged).toEqual({ draft_solved: 2 / 3, gain: 1 - 2 / 3, copied: 0.5 });
  });

  it('trains ten thousand refined tokens on-policy to the bit, under the prompt with the draft', async () => {
    await withTossedRun(
      '',
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const groups = batches.flatMap((batch) => batch.groups);
        const word = followUpTokens(run.engine.tasks, groups[0].item, [[new Int32Array(), '<refine>']]).at(-1);
        let sampled = 0;
        for (const { prompt, rollouts } of groups) {
          for (const { prompt: own = prompt, tokens } of rollouts) {
            expect(own.at(-1)).toBe(word);
            expect(own.subarray(0, prompt.length)).toEqual(prompt);
            sampled += tokens.length;
          }
        }
        expect(sampled).toBeGreaterThan(10_000);
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      },
      { yaml: LONG },
    );
  });

  it('samples plainly, to the bit, where no step refines', async () => {
    const never = 'rollout_strategies: [{name: draft-refine, refining_steps: 0}]';
    const other = 'rollout_strategies: [{name: draft-refine, refining_steps: 0, drafts: 1}]';
    expect(await weightsAfter(never)).toBe(await weightsAfter(other));
    expect(await weightsAfter(LINE)).not.toBe(await weightsAfter(never));
  });

  it.each([LINE, `dynamic_sampling: refill\n${LINE}\nnum_iterations: 2`])(
    'gives the same weights and metrics after a kill: %s',
    async (lines) => {
      const { whole, killed } = await wholeAndKilled(lines);
      expect(whole.metrics).toHaveLength(4);
      expect(killed).toEqual(whole);
    },
  );
});

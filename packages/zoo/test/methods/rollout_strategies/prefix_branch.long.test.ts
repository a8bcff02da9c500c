/** Completions that branch off others where the policy was unsure: what is asked for, what is trained on, and what is not. */
import { describe, expect, it } from 'vitest';
import { tokenGroups } from '../../../../../src/grpo/update/credit.ts';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { lossTokens } from '../../../../../src/methods/tokens.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { createMethods, parseConfig } from '../../../../../test/support/everything.ts';
import {
  goOn,
  longRun,
  tossed,
  weightsAfter,
  wholeAndKilled,
  withTossedRun,
} from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

/** What is asked for a problem of eight completions, each sampled whole with these entropies; and what is made of them. */
async function asked(entropies: readonly number[], options = '', step = 3) {
  const stage = stageOf(`rollout_strategies: [{name: prefix-branch${options}}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const rounds: GroupRequest[] = [];
  const tools = rolloutTools(stage, { step, progress: step / stage.optimizer.maxSteps });
  const next = async (requests: readonly GroupRequest[]) => {
    rounds.push(...requests);
    return requests.map(({ samples, origin }) =>
      groupOf(
        Array.from({ length: samples }, () => ({
          ...rolloutOf(entropies.length, 0),
          tokens: Int32Array.from(entropies, (_, t) => t),
          entropies: Float32Array.from(entropies),
          ...(origin && { origin }),
        })),
      ),
    );
  };
  const { item } = groupOf([]);
  const groups = await part.rollOut([{ item, samples: 8 }], next, tools);
  return { rounds, groups, cuts: rounds.flatMap(({ prefixes = [] }) => prefixes.map(({ length }) => length)) };
}

const LONG = longRun('rollout_strategies: [{name: prefix-branch, branches: 1}]', { steps: 2 });

const LINE = 'rollout_strategies: [{name: prefix-branch, branches: 1, positions: 2}]';

describe('prefix-branch', () => {
  it('samples two of eight whole, and cuts before their most unsure token, neither the first nor the end', async () => {
    const { rounds, groups, cuts } = await asked([9, 1, 2, 5, 3, 9], ', positions: 1');
    expect(rounds.map(({ samples, origin }) => [samples, origin])).toEqual([
      [2, undefined],
      [6, 'branch'],
    ]);
    expect(cuts).toEqual([3, 3, 3, 3, 3, 3]);
    expect(rounds[1].prefixes?.map((prefix) => prefix[2])).toEqual([2, 2, 2, 2, 2, 2]);
    expect(groups.map(({ rollouts }) => rollouts.map(({ origin = 'trunk' }) => origin))).toEqual([
      ['trunk', 'trunk', 'branch', 'branch', 'branch', 'branch', 'branch', 'branch'],
    ]);
  });

  it('takes any of the candidates, and the branches of a trunk the same', async () => {
    const { cuts } = await asked([0, 1, 1, 1, 1, 0], ', positions: 4');
    expect(new Set(cuts).size).toBeGreaterThan(1);
    expect(cuts.filter((_, i) => i % 2 === 0)).toEqual([cuts[0], cuts[0], cuts[0]]);
    expect((await asked([5])).cuts).toEqual([0, 0, 0, 0, 0, 0]); // there is nothing to inherit
  });

  it('refuses a group size that it cannot make, before step 1', () => {
    const lines = ['task: sort_digits', 'max_steps: 10', 'num_generations: 6', 'generation_batch_size: 12', LINE];
    const text = (branches: number) => lines.join('\n').replace('branches: 1', `branches: ${branches}`);
    expect(() => parseConfig(text(3), { file: 'a.yaml' })).toThrow(
      /a\.yaml:5.*prefix-branch — makes groups of trunks with 3 branches each, and they are of 6; use a num_generations that 4 divides/,
    );
    expect(() => parseConfig(text(2), { file: 'a.yaml' })).not.toThrow();
  });

  it('samples plainly, to the bit, where no step branches', async () => {
    const off = LINE.replace('positions: 2', 'branching_steps: 0');
    expect(await weightsAfter(off)).toBe(await weightsAfter(''));
    expect(await weightsAfter(LINE)).not.toBe(await weightsAfter(''));
  });

  it('trains ten thousand tokens of branches on-policy to the bit, and none that they inherit', async () => {
    await withTossedRun(
      '',
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const groups = batches.flatMap((batch) => batch.groups);
        let sampled = 0;
        for (const group of groups) {
          const inherited = group.rollouts.map(({ labels }) => (labels?.lastIndexOf(TOKEN.given) ?? -1) + 1);
          const { completionOf, tokenOf } = packBatch(tokenGroups(group));
          completionOf.forEach((completion, row) => {
            expect(tokenOf[row]).toBeGreaterThanOrEqual(inherited[completion]);
          });
          group.rollouts.forEach(({ origin, tokens }, i) => {
            if (origin !== 'branch') expect(inherited[i]).toBe(0);
            if (origin === 'branch') sampled += tokens.length - inherited[i];
          });
        }
        expect(sampled).toBeGreaterThan(10_000);
        const generated = groups.flatMap(({ rollouts }) => rollouts).reduce((sum, one) => sum + lossTokens(one), 0);
        expect(run.journal.state.tokens).toBe(generated);
        for (const step of metrics) {
          expect(step['sampling/sampling_logp_difference/max']).toBe(0);
          expect(step['completions/branch']).toBe(0.5);
        }
      },
      { yaml: LONG },
    );
  });

  it.each([LINE, `${LINE}\ndynamic_sampling: refill`, `${LINE}\nnum_iterations: 2\ntoken_controls: [repetition-stop]`])(
    'gives the same weights and metrics after a kill: %s',
    async (lines) => {
      const { whole, killed } = await wholeAndKilled(lines, { verify: tossed(3) });
      expect(whole.metrics).toHaveLength(4);
      expect(killed).toEqual(whole);
    },
  );
});

/** Rollouts from a copy in 8 bits: off-policy and weighed, while all else is the policy's own, and no kill is seen in any bit. */
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { scoresOf } from '../../../../test/grpo/step_parts.ts';
import { configHash, parseConfig, remarksOn } from '../../../../test/support/everything.ts';
import { goOn, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../test/support/killed_runs.ts';
import { smallConfig } from '../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { honest } from '../../../fleet/test/support/faulty_bus.ts';
import { trainSmall } from '../../../fleet/test/support/fleets.ts';

const COPY = 'quantised_rollout: true';
const TIS = 'vllm_importance_sampling_correction: true\nvllm_importance_sampling_mode: token_truncate';
/** Rows of 32, so that a matrix is blocks. */
const withBlocks = (lines: string, steps = 4) => ({
  yaml: smallConfig(lines, steps).replace('hidden_size: 8', 'hidden_size: 32'),
});

it('samples off-policy, with the log-probs of the copy, and scores and evaluates with the weights', async () => {
  await withTossedRun('', (run) => goOn(run, 1), withBlocks(COPY)).then(({ metrics, batches: [{ groups }] }) => {
    expect(groups.flatMap(({ rollouts }) => rollouts.map(({ isOffPolicy }) => isOffPolicy))).toEqual(
      Array.from({ length: 16 }, () => true),
    );
    const [step] = metrics;
    const [mean, most] = ['mean', 'max'].map((of) => Number(step[`sampling/sampling_logp_difference/${of}`]));
    expect(mean).toBeGreaterThan(0);
    expect(mean).toBeLessThan(0.02);
    expect(most).toBeGreaterThan(mean);
    expect(Number(step['importance_ratio/mean'])).toBeCloseTo(1, 2);
  });
  await withTossedRun(
    '',
    async (run) => {
      const { groups } = (await goOn(run, 1)).batches[0];
      expect(groups).toHaveLength(4);
      const [{ prompt, rollouts }] = groups;
      const scores = await scoresOf(run, { prompt, completions: rollouts.map(({ tokens }) => tokens) });
      expect(rollouts.map(({ logprobs }) => [...logprobs])).not.toEqual(scores.map(({ logprobs }) => [...logprobs]));
    },
    withBlocks(COPY),
  );
});

it.each([TIS, 'token_weights: [decoupled]', `${TIS}\ntoken_weights: [icepop]`])(
  'has a ratio of 1 at the first update, weighed by policy over copy: %s',
  async (lines) => {
    await withTossedRun(
      '',
      async (run) => {
        const { metrics } = await goOn(run, 2);
        for (const step of metrics) expect(step['clip_ratio/region_mean']).toBe(0);
        const weight = metrics[0]['sampling/importance_sampling_ratio/mean'] ?? metrics[0]['decoupled/weight'];
        expect(Number(weight)).toBeCloseTo(1, 2);
        expect(Number(weight)).not.toBe(1);
      },
      withBlocks(`${COPY}\n${lines}`),
    );
  },
);

it.each([COPY, `${COPY}\n${TIS}\nnum_iterations: 2`, `${COPY}\n${TIS}\nstaleness: 1\ndynamic_sampling: refill`])(
  'ends with the same weights and metrics after a kill: %s',
  async (lines) => {
    const { whole, killed } = await wholeAndKilled('', withBlocks(lines));
    expect(killed).toEqual(whole);
  },
);

it('ends with the same weights on one thread and three', async () => {
  const on = async (backend: Backend) => weightsAfter('', { ...withBlocks(`${COPY}\n${TIS}`), backend });
  const one = await on(await wasmBackend({ threads: 1 }));
  expect(await on(await wasmBackend({ threads: 3 }))).toBe(one);
  expect(one).not.toBe(await weightsAfter('', { ...withBlocks(''), backend: await wasmBackend({ threads: 1 }) }));
});

it.each(['', TIS])('of a copy that is not rounded ends with the very weights of plain sampling: %s', async (lines) => {
  const backend = await wasmBackend({ inline: true });
  const exact: Backend = {
    ...backend,
    open: ({ arenas, ...plan }) => {
      const isCopy = ({ name }: { readonly name: string }): boolean => name === 'rolloutCopy';
      expect(arenas.filter(isCopy)).toHaveLength(1);
      return backend.open({ ...plan, arenas: arenas.map((own) => (isCopy(own) ? { ...own, storage: 'f32' } : own)) });
    },
  };
  const copied = await weightsAfter('', { ...withBlocks(`${COPY}\n${lines}`), backend: exact });
  expect(copied).toBe(await weightsAfter('', { ...withBlocks(''), backend }));
});

it('is sampled by workers with the bits of one machine', async () => {
  const { yaml } = withBlocks(`${COPY}\n${TIS}\nnum_generations_eval: 2`, 3);
  const { figures, said: _, ...run } = await trainSmall(yaml, { workers: [honest] });
  const { said: __, ...own } = await trainSmall(yaml);
  expect(run).toEqual(own);
  expect(figures).toMatchObject({ groupsHere: 0, refused: 0 });
});

describe('the config', () => {
  it('is written back, and has the hash it had without the key', async () => {
    const of = (lines: string) => parseConfig(smallConfig(lines), { file: 'run.yaml' }).config;
    expect(of(resolvedYaml(of(COPY)).includes(COPY) ? COPY : '')).toEqual(of(COPY));
    expect(await configHash(of('quantised_rollout: false'))).toBe(await configHash(of('')));
    expect(await configHash(of(COPY))).not.toBe(await configHash(of('')));
  });

  it('is told of where nothing weighs the difference, warned of without a ratio, and refused with two weights', () => {
    const said = (...lines: readonly string[]) =>
      remarksOn(stageOf(COPY, ...lines)).map(({ level, value }) => `${level} ${value}`);
    expect(said()).toEqual(['note true']);
    expect(said('objective: reinforce')).toContain('warning reinforce');
    expect(said(TIS)).toEqual([]);
    expect(said('token_weights: [decoupled]')).toEqual([]);
    expect(() => said(TIS, 'token_weights: [decoupled]')).toThrow(/would count twice/);
  });

  it('is refused by a backend that has no blocks, with the way out', async () => {
    const { frozenStorages: _, ...plain } = await wasmBackend({ inline: true });
    await expect(
      withTossedRun('', async () => undefined, { ...withBlocks(COPY), backend: { ...plain, name: 'tfjs' } }),
    ).rejects.toThrow(/^quantised_rollout: true — the tfjs backend keeps matrices in float32; use backend: wasm/);
    await expect(withTossedRun(COPY, async () => undefined)).rejects.toThrow(/^quantised_rollout: true — nothing/);
  });
});

/** Prompt sources through whole runs: what is asked, what it costs, and the same bits after a kill. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../src/grpo/run.ts';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import type { Collected, StepMetrics } from '../../../src/methods/records.ts';
import { encodeStrictJson } from '../../../src/run/json.ts';
import { weightsSha256 } from '../../../src/run/model_files.ts';
import { captureCheckpoint, restoreCheckpoint } from '../../../src/run/state.ts';
import { openSmallRun, type SmallRun } from '../../support/small_runs.ts';
import { getTaskDefinition } from '../../support/tasks.ts';

const SMALL = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 4
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
reward_funcs: [lcs]
dynamic_sampling: {name: refill, max_rounds: 1}
eval_strategy: "no"
`;

const { verify } = getTaskDefinition('reverse_text');

/** A policy of random weights solves nothing: what it writes is right by a coin that its text tosses. */
const tossed: SmallRun['verify'] = (item, answer, knobs, context) => {
  const isRight = [...answer].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 3 === 0;
  const verdict = verify(item, answer, knobs, context);
  return { ...verdict, score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect' };
};

async function withRun<T>(source: string, work: (run: TrainingRun) => Promise<T>): Promise<T> {
  const backend = await wasmBackend({ inline: true, fma: false });
  const run = await openSmallRun(backend, { yaml: `${SMALL}prompt_source: ${source}\n`, verify: tossed });
  try {
    return await work(run);
  } finally {
    await run.policy.close();
  }
}

interface Seen {
  readonly metrics: readonly StepMetrics[];
  readonly batches: readonly Collected[];
}

async function goOn(run: TrainingRun, steps = Number.POSITIVE_INFINITY): Promise<Seen> {
  const metrics: StepMetrics[] = [];
  const batches: Collected[] = [];
  for await (const event of train(run)) {
    if (event.type === 'rollouts') batches.push(event.collected);
    if (event.type === 'step') metrics.push(event.metrics);
    if (metrics.length >= steps) break;
  }
  return { metrics, batches };
}

const isTime = (name: string): boolean => /time|second|tokens_per/.test(name);
const timeless = (all: readonly StepMetrics[]) =>
  all.map((step) => Object.fromEntries(Object.entries(step).filter(([name]) => !isTime(name))));

const SOURCES = [
  '{name: few-shot-data, limit: 5}',
  '{name: prefilter, problems: 12, samples: 4}',
  '[{name: few-shot-data, limit: 8}, keep-range]',
  '[{name: few-shot-data, limit: 8}, {name: solve-rate-prune, solve_rate: 0.5, revisit_after: 2}]',
  '[{name: prefilter, problems: 12, samples: 4}, greedy-filter]',
  '[{name: few-shot-data, limit: 6}, weakness, {name: prioritized, candidates: 2}]',
];

describe.each(SOURCES)('%s', (source) => {
  it('gives the same weights and metrics after a kill', async () => {
    const whole = await withRun(source, async (run) => ({
      ...(await goOn(run)),
      sha: await weightsSha256(run.policy),
    }));
    const first = await withRun(source, async (run) => {
      const { metrics } = await goOn(run, 2);
      return { metrics, checkpoint: await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0) };
    });
    const state = JSON.parse(encodeStrictJson(first.checkpoint.state));
    const resumed = await withRun(source, async (run) => {
      restoreCheckpoint(run, { ...first.checkpoint, state });
      return { ...(await goOn(run)), sha: await weightsSha256(run.policy) };
    });
    expect(whole.metrics).toHaveLength(4);
    expect(timeless([...first.metrics, ...resumed.metrics])).toEqual(timeless(whole.metrics));
    expect(resumed.sha).toBe(whole.sha);
  });
});

describe('a run', () => {
  const keysOf = ({ batches }: Seen) => new Set(batches.flatMap(({ groups }) => groups.map(({ item }) => item.key)));

  it('on few problems asks these alone, and draws no others', async () => {
    await withRun('{name: few-shot-data, limit: 5}', async (run) => {
      expect(keysOf(await goOn(run)).size).toBe(5);
      expect(run.state.itemsDrawn).toBeLessThan(20);
    });
  });

  it('counts the tokens of what a source tries among those that were sampled', async () => {
    await withRun('{name: prefilter, problems: 12, samples: 4}', async (run) => {
      const { metrics, batches } = await goOn(run, 1);
      const trained = batches.flatMap(({ groups }) => groups.flatMap(({ rollouts }) => rollouts));
      const sampled = trained.reduce((sum, { tokens }) => sum + tokens.length, 0);
      expect(metrics[0]['prefilter/tokens']).toBeGreaterThan(12 * 4);
      expect(run.state.tokens).toBe(sampled + Number(metrics[0]['prefilter/tokens']));
      expect(run.state.rolloutsDrawn).toBe(trained.length + 12 * 4);
    });
  });
});

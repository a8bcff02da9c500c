/** Tiny runs that are killed behind a step and go on through their checkpoint, as a process that ends and another one. */
import type { TrainEvent } from '../../src/grpo/events.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import type { Collected, StepMetrics } from '../../src/methods/records.ts';
import type { StageConfig } from '../../src/methods/stage.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../src/run/json.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { openSmallRun, plainWasm, type SmallRun, smallConfig } from './small_runs.ts';
import { getTaskDefinition } from './tasks.ts';

const { verify } = getTaskDefinition('reverse_text');

/** A policy of random weights solves nothing: what it writes is right by a coin that its text tosses, once in so many. */
export function tossed(onceIn: number): SmallRun['verify'] {
  return (item, answer, knobs, context) => {
    const isRight = [...answer].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % onceIn === 0;
    const verdict = verify(item, answer, knobs, context);
    return { ...verdict, score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect' };
  };
}

/** A run of four steps, four groups of four, with these lines of YAML besides; on wasm, unless another backend is given. */
export async function withTossedRun<T>(
  lines: string,
  work: (run: TrainingRun) => Promise<T>,
  { backend: given, ...small }: Partial<SmallRun> & { readonly backend?: Backend } = {},
): Promise<T> {
  const backend = given ?? (await plainWasm());
  const run = await openSmallRun(backend, { yaml: smallConfig(lines, 4), verify: tossed(3), ...small });
  try {
    return await work(run);
  } finally {
    await run.engine.policy.close();
  }
}

/** A whole config whose steps sample some ten thousand tokens: replies of 24 letters, with these lines of YAML besides. */
export function longRun(
  lines: string,
  { steps = 1, completions = 1024 }: { readonly steps?: number; readonly completions?: number } = {},
): string {
  return `
task: {name: reverse_text, min_length: 24, max_length: 24}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.1}
max_steps: ${steps}
num_generations: 4
generation_batch_size: ${completions}
reward_funcs: [lcs]
eval_strategy: "no"
${lines}
`;
}

/** What a run has shown. */
export interface Seen {
  readonly metrics: readonly StepMetrics[];
  readonly batches: readonly Collected[];
}

/** Trains on; ends behind `steps` steps, or with the run. */
export async function goOn(run: TrainingRun, steps = Number.POSITIVE_INFINITY): Promise<Seen> {
  const metrics: StepMetrics[] = [];
  const batches: Collected[] = [];
  for await (const event of train(run)) {
    if (event.type === 'rollouts') batches.push(event.collected);
    if (event.type === 'step') metrics.push(event.metrics);
    if (metrics.length >= steps) break;
  }
  return { metrics, batches };
}

/** SHA-256 of the weights that a run with these lines ends with. */
export function weightsAfter(lines: string, small: Parameters<typeof withTossedRun>[2] = {}): Promise<string> {
  const toEnd = async (run: TrainingRun): Promise<string> => {
    await goOn(run);
    return weightsSha256(run.engine.policy);
  };
  return withTossedRun(lines, toEnd, small);
}

/** All that must be the same whether or not a run was killed: its metrics but for wall-clock, and its weights. */
interface Outcome {
  readonly metrics: readonly object[];
  readonly sha256: string;
}

/** Wall-clock, and what follows from it. */
export const isTime = (name: string): boolean => /time|second|tokens_per/.test(name);
const timeless = (all: readonly StepMetrics[]): object[] =>
  all.map((step) => Object.fromEntries(Object.entries(step).filter(([name]) => !isTime(name))));

const takesSeveralSteps = (stage: StageConfig): boolean => stage.stage === 'grpo' && stage.batch.numIterations > 1;

/** A run with these lines, uninterrupted, and one that was killed after its second step, or within its second batch. */
export async function wholeAndKilled(
  lines: string,
  small: Partial<SmallRun> = {},
): Promise<{ readonly whole: Outcome; readonly killed: Outcome }> {
  const toEnd = async (run: TrainingRun) => ({ ...(await goOn(run)), sha256: await weightsSha256(run.engine.policy) });
  const whole = await withTossedRun(lines, toEnd, small);
  const killed = async (run: TrainingRun) => {
    const metrics = [...(await goOn(run, 2)).metrics];
    const isBetweenBatches = run.journal.state.buffer === undefined && run.config.stages.some(takesSeveralSteps);
    if (isBetweenBatches) metrics.push(...(await goOn(run, 1)).metrics);
    return { metrics, checkpoint: await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0) };
  };
  const first = await withTossedRun(lines, killed, small);
  const state = JSON.parse(encodeStrictJson(first.checkpoint.state));
  const resume = async (run: TrainingRun) => {
    restoreCheckpoint(run, { ...first.checkpoint, state });
    return toEnd(run);
  };
  const second = await withTossedRun(lines, resume, small);
  return {
    whole: { metrics: timeless(whole.metrics), sha256: whole.sha256 },
    killed: { metrics: timeless([...first.metrics, ...second.metrics]), sha256: second.sha256 },
  };
}

/** A run that was stopped where `isThere` says so, and is closed, and the one that goes on from its checkpoint. */
export async function killedAndResumed(
  small: SmallRun,
  isThere: (event: TrainEvent) => boolean = ({ type }) => type === 'step',
): Promise<{ readonly killed: TrainingRun; readonly resumed: TrainingRun }> {
  const [killed, resumed] = [
    await openSmallRun(await plainWasm(), small),
    await openSmallRun(await plainWasm(), small),
  ];
  for await (const event of train(killed)) if (isThere(event)) break;
  restoreCheckpoint(resumed, await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0));
  await killed.engine.policy.close();
  return { killed, resumed };
}

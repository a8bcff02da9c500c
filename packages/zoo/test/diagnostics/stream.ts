/** A stage as a stream of records: what the diagnostics would see of a run, made by hand. */
import { stringify } from 'yaml';
import { type Diagnosis, diagnosticsFor, type Reading } from '../../../../src/diagnostics/diagnostic.ts';
import { type StartFacts, trainingSince } from '../../../../src/diagnostics/history.ts';
import type { BatchRecord, EvaluationRecord, UpdateRecord } from '../../../../src/diagnostics/records.ts';
import { look, type Observation, standing, startWatch, type Watch } from '../../../../src/diagnostics/watch.ts';
import { tellingsOf } from '../../../../src/methods/chosen.ts';
import type { StageConfig } from '../../../../src/methods/stage.ts';
import { shareSolved } from '../../../../src/methods/statistics.ts';
import { membersOf, parseConfig } from '../../../../test/support/everything.ts';
import { RUN_DIAGNOSTICS } from '../../diagnostics/catalogue.ts';

export const SECONDS = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };

/** 32 groups of 16 completions of 12 tokens, three in ten right, everything well. */
const HEALTHY_BATCH: Omit<BatchRecord, 'step'> = {
  completions: 512,
  groups: 32,
  live: 30,
  allRight: 1,
  allWrong: 1,
  rounds: 1,
  correct: 0.3,
  invalid: 0.02,
  rewarded: 512,
  reward: 0.3,
  lowest: 0,
  highest: 1,
  paid: 0.3,
  spread: 0.4,
  entropy: 0.3,
  meanLength: 12,
  longest: 14,
  truncated: 0.01,
  eos: 500,
  variety: 0.5,
  seconds: { verify: 0.01, all: 1 },
};

const HEALTHY_UPDATE: Omit<UpdateRecord, 'step'> = {
  loss: 0,
  gradNorm: 0.5,
  learningRate: 3e-4,
  onPolicy: true,
  clipped: 0,
  meanDifference: 0,
  maxDifference: 0,
};

/** Held-out problems behind an estimate: intervals of about ±4 points at a half. */
const PROBLEMS = 571;

export interface Said extends Diagnosis {
  readonly step: number;
}

export type StageKeys = Readonly<Record<string, unknown>>;

export interface StreamOptions {
  /** Keys of the stage, as in the YAML. */
  readonly keys?: StageKeys;
  /** What is known before the first step; default: nothing. */
  readonly facts?: StartFacts;
  /** Sends the memory through JSON after each observation, as a checkpoint would. */
  readonly throughJson?: boolean;
  /** Every other figure is NaN, as of the log of another trainer. */
  readonly only?: readonly Reading[];
}

export class Stream {
  readonly stage: StageConfig;
  readonly said: Said[] = [];
  #watch: Watch = startWatch(SECONDS);
  #step = 0;
  #problem = 0;
  readonly #throughJson: boolean;
  readonly #only: readonly Reading[] | undefined;

  constructor({ keys = {}, facts, throughJson = false, only }: StreamOptions = {}) {
    this.#only = only;
    this.stage = stageOf(keys);
    this.#throughJson = throughJson;
    this.#observe({ after: 'start', ...(facts && { facts }) });
  }

  /** A batch of new problems, and the optimizer step on it. */
  step(batch: Partial<BatchRecord> = {}, update: Partial<UpdateRecord> = {}): this {
    return this.batch(batch).update(update);
  }

  /** @param problems  keys of the problems drawn; default: ones that were never drawn before */
  batch(batch: Partial<BatchRecord> = {}, problems?: readonly string[]): this {
    const record = { step: this.#step + 1, ...HEALTHY_BATCH, ...batch };
    const keys = problems ?? Array.from({ length: record.groups }, () => String(this.#problem++));
    return this.#observe({ after: 'batch', record, problems: keys });
  }

  update(update: Partial<UpdateRecord> = {}): this {
    this.#step++;
    return this.#observe({ after: 'update', record: { step: this.#step, ...HEALTHY_UPDATE, ...update } });
  }

  evaluation(shares: { greedy: number; sampled: number; pass?: number; chance?: number; once?: number }): this {
    const estimate = (share: number) =>
      shareSolved(Array.from({ length: PROBLEMS }, (_, i) => (i < Math.round(share * PROBLEMS) ? 1 : 0)));
    const record: EvaluationRecord = {
      step: this.#step,
      greedy: estimate(shares.greedy),
      sampled: estimate(shares.sampled),
      samples: 4,
      pass: estimate(shares.pass ?? Math.min(1, 1.5 * shares.sampled)),
      ...(shares.once !== undefined && { reach: { problems: PROBLEMS, once: shares.once, always: 0 } }),
      training: trainingSince(this.#watch.history),
      chance: shares.chance ?? 0,
    };
    return this.#observe({ after: 'evaluation', record });
  }

  /** The same part of a stream, several times. */
  times(count: number, part: (stream: this, index: number) => void): this {
    for (let index = 0; index < count; index++) part(this, index);
    return this;
  }

  #blanked(observation: Observation): Observation {
    const only = this.#only;
    if (only === undefined || observation.after === 'start') return observation;
    // Each kind keeps its record.
    return { ...observation, record: blanked(observation.record, only) } as Observation;
  }

  /** What was said and not withdrawn, in the order of first mention. */
  standing(): string[] {
    return standing(this.#watch, this.stage);
  }

  /** Of what was said; what was withdrawn is not said again. */
  codes(): string[] {
    return this.said.flatMap(({ code, level }) => (level === 'withdrawn' ? [] : [code]));
  }

  #observe(observation: Observation): this {
    if (this.#throughJson) this.#watch = JSON.parse(JSON.stringify(this.#watch));
    const step = observation.after === 'start' ? 0 : observation.record.step;
    const all = diagnosticsFor(RUN_DIAGNOSTICS, this.stage, tellingsIn(this.stage));
    const only = this.#only;
    const asked = only === undefined ? all : all.filter(({ reads }) => reads.every((one) => only.includes(one)));
    const found = look(this.#watch, this.stage, step, this.#blanked(observation), asked);
    this.said.push(...found.map((diagnosis) => ({ ...diagnosis, step })));
    return this;
  }
}

/** The record without what is not in the list: numbers, and those of what it is made of, are NaN. */
function blanked<R extends object>(record: R, only: readonly Reading[]): R {
  const entries = Object.entries(record).map(([name, value]: [string, unknown]) => {
    if (name === 'step' || name === 'samples' || (only as readonly string[]).includes(name)) return [name, value];
    if (typeof value === 'number') return [name, Number.NaN];
    if (typeof value !== 'object' || value === null) return [name, undefined];
    return [name, Object.fromEntries(Object.keys(value).map((inner) => [inner, Number.NaN]))];
  });
  return Object.fromEntries(entries) as R; // the same names
}

function tellingsIn(stage: StageConfig): ReturnType<typeof tellingsOf> {
  if (stage.stage === 'sft') return new Set();
  return tellingsOf(membersOf(stage));
}

const GRPO_KEYS = { num_generations: 16, generation_batch_size: 512, warmup_steps: 10 };

/** A stage of 300 steps, with the keys given. */
function stageOf(keys: StageKeys): StageConfig {
  const stage = { stage: 'grpo', max_steps: 300, learning_rate: 3e-4, ...(keys.stage !== 'sft' && GRPO_KEYS), ...keys };
  const { config } = parseConfig(stringify({ task: 'countdown', stages: [stage] }), { file: 'inline' });
  return config.stages[0];
}

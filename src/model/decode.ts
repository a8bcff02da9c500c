/**
 * The decoding loop: rows go in, one token a completion comes out, until all have ended.
 *
 * Where reading waits for a device, it is done once for several steps: a token goes from the sampler to the next
 * step's rows without the host, which writes what it knows beforehand (positions, cache rows). A completion that ends
 * in between is computed on for the rest of them, and what it gives is dropped: rows do not know of each other.
 */
import type { FinishReason } from '../finish_reason.ts';
import { SAMPLING } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import type { ForwardSlots } from './activations.ts';
import { COUNTS } from './plan.ts';
import type { Policy } from './policy.ts';

export interface SamplingSettings {
  /** 0: greedy. */
  readonly temperature: number;
  /** 0: off. */
  readonly topK: number;
  /** 1: off. */
  readonly topP: number;
  /** null: off. */
  readonly minP: number | null;
}

/** Sampling from the policy itself: no token is left out. @param temperature  0: greedy */
export function wholeVocabulary(temperature: number): SamplingSettings {
  return { temperature, topK: 0, topP: 1, minP: null };
}

export interface GenerationRequest {
  readonly prompt: Int32Array;
  /** One completion a number: run-wide numbers of the rollouts, which key their random draws. */
  readonly rolloutNumbers: readonly number[];
}

export interface GenerationSettings {
  readonly sampling: SamplingSettings;
  /** Words of the Philox key. */
  readonly samplingKey: readonly [number, number];
  readonly maxCompletionTokens: number;
  readonly eosTokenId: number;
  /** Every completion stops after exactly this many tokens, whatever they are. */
  readonly fixedCompletionTokens?: number | undefined;
}

/** A completion while it grows. */
export interface Row {
  readonly promptBegin: number;
  readonly promptEnd: number;
  /** First cache row of its own tokens. */
  readonly ownBegin: number;
  readonly rolloutNumber: number;
  readonly tokens: number[];
  /** Rows of its own inputs, where they are kept. */
  readonly inputRows: number[];
  readonly logprobs: number[];
  readonly entropies: number[];
  readonly keptLogMass: number[];
  finishReason: FinishReason | undefined;
}

export function maxTokens({ fixedCompletionTokens, maxCompletionTokens }: GenerationSettings): number {
  return fixedCompletionTokens ?? maxCompletionTokens;
}

/**
 * Samples all completions of the requests, which fit side by side.
 * @param activations whether each step's rows stay behind those before them, for `Policy.keep`
 */
export async function growRows(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
  activations: 'keep' | 'discard',
): Promise<Row[]> {
  const { inputs, results } = policy.slots;
  const sampling = new Float32Array(SAMPLING.length);
  sampling[SAMPLING.temperature] = settings.sampling.temperature;
  sampling[SAMPLING.topK] = settings.sampling.topK;
  sampling[SAMPLING.topP] = settings.sampling.topP;
  sampling[SAMPLING.minP] = settings.sampling.minP ?? 0;
  policy.engine.write(results.sampling, sampling);
  policy.engine.write(inputs.samplingKey, Int32Array.from(settings.samplingKey));

  const longest = maxTokens(settings);
  const rows = placeRows(requests, longest);
  const decoder = new Decoder(policy, activations === 'keep');
  let growing = rows;
  for (let length = 0; growing.length > 0; ) {
    const steps = Math.min(policy.stepsPerRead, longest - length);
    for (let step = 0; step < steps; step++) {
      if (length + step === 0) writePrefill(decoder, requests, rows);
      else writeDecode(decoder, growing, length + step, step === 0);
      await decoder.step(step, growing.length);
    }
    await takeTokens(decoder, growing, settings, steps);
    length += steps;
    growing = growing.filter((row) => row.finishReason === undefined);
  }
  return rows;
}

interface RowArrays {
  /** undefined: those that were sampled last */
  readonly tokens: Int32Array | undefined;
  readonly positions: Int32Array;
  readonly kvRows: Int32Array;
  readonly intervals: Int32Array;
}

/** What one step, or several steps between two reads, have sampled: step by step, each row in order. */
interface Sampled {
  readonly tokens: ArrayLike<number>;
  readonly logprobs: ArrayLike<number>;
  readonly entropies: ArrayLike<number>;
  readonly keptLogMass: ArrayLike<number>;
}

/** Where steps read and leave their rows. */
class Decoder {
  readonly policy: Policy;
  readonly #keeps: boolean;
  #next = 0;
  #begin = 0;
  #end = 0;
  #isFed = false;

  constructor(policy: Policy, keeps: boolean) {
    this.policy = policy;
    this.#keeps = keeps;
  }

  /** Fills the input slots of a step; returns the row of the first. */
  writeRows({ tokens, positions, kvRows, intervals }: RowArrays): number {
    const { engine, slots } = this.policy;
    const inputs = this.#keeps ? (slots.rollout as ForwardSlots).inputs : slots.inputs;
    const count = positions.length;
    const begin = this.#next;
    if (this.#keeps) this.#next += count;
    if (tokens !== undefined) engine.write(inputs.tokens, tokens, begin);
    engine.write(inputs.positions, positions, begin);
    engine.write(inputs.kvRows, kvRows, begin);
    engine.write(inputs.intervals, intervals, begin * 4);
    if (!this.#keeps) engine.write(slots.inputs.counts, [count], COUNTS.rows);
    this.#begin = begin;
    this.#end = begin + count;
    this.#isFed = tokens === undefined;
    if (this.#isFed && this.#keeps && slots.ahead) engine.write(slots.ahead.feedFrom, places(count, count), begin);
    return begin;
  }

  /** @param step of those until the next read */
  async step(step: number, samples: number): Promise<void> {
    const { policy } = this;
    const { ahead, inputs } = policy.slots;
    if (ahead !== undefined && step === 0)
      policy.engine.write(ahead.from, places(policy.stepsPerRead * samples, samples));
    const counts = [samples, this.#begin, this.#end, step * samples, (step + 1) * samples];
    policy.engine.write(inputs.counts, counts, COUNTS.samples);
    await policy.replaySample({ keep: this.#keeps, feed: this.#isFed });
  }

  /** Asked for together, the arrays come back in one transfer where reading is one. */
  async read(count: number): Promise<Sampled> {
    const { engine, slots } = this.policy;
    const { results, inputs, ahead } = slots;
    const from = ahead ?? { tokens: inputs.sampled, ...results };
    const read = (slot: Slot) => engine.read(slot, count);
    const [tokens, logprobs, entropies, keptLogMass] = await Promise.all([
      read(from.tokens),
      read(from.logprobs),
      read(from.entropies),
      read(from.keptLogMass),
    ]);
    return { tokens, logprobs, entropies, keptLogMass };
  }
}

/** 0, 1, …, count − 1, 0, 1, … */
function places(length: number, count: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => i % count);
}

/** Cache rows: all prompts first, then a fixed span for each completion. */
function placeRows(requests: readonly GenerationRequest[], tokens: number): Row[] {
  const rows: Row[] = [];
  let ownBegin = requests.reduce((sum, { prompt }) => sum + prompt.length, 0);
  let promptBegin = 0;
  for (const { prompt, rolloutNumbers } of requests) {
    const promptEnd = promptBegin + prompt.length;
    for (const rolloutNumber of rolloutNumbers) {
      rows.push({
        promptBegin,
        promptEnd,
        ownBegin,
        rolloutNumber,
        tokens: [],
        inputRows: [],
        logprobs: [],
        entropies: [],
        keptLogMass: [],
        finishReason: undefined,
      });
      ownBegin += Math.max(0, tokens - 1);
    }
    promptBegin = promptEnd;
  }
  return rows;
}

/** Prompt rows go in; each completion samples from its prompt's last row. */
function writePrefill(decoder: Decoder, requests: readonly GenerationRequest[], rows: readonly Row[]): void {
  const count = requests.reduce((sum, { prompt }) => sum + prompt.length, 0);
  const tokens = new Int32Array(count);
  const positions = new Int32Array(count);
  const intervals = new Int32Array(count * 4);
  let at = 0;
  for (const { prompt } of requests) {
    const begin = at;
    for (let position = 0; position < prompt.length; position++) {
      tokens[at] = prompt[position] ?? 0;
      positions[at] = position;
      intervals.set([begin, at + 1, 0, 0], at * 4);
      at++;
    }
  }
  decoder.writeRows({ tokens, positions, kvRows: tokens.map((_, row) => row), intervals });
  writeSampled(decoder.policy, rows, (row) => row.promptEnd - 1, 0, true);
}

/**
 * The newest token of each growing completion goes in.
 * @param length  tokens that each has
 * @param isRead  whether the host knows the newest ones
 */
function writeDecode(decoder: Decoder, rows: readonly Row[], length: number, isRead: boolean): void {
  const index = length - 1;
  const intervals = new Int32Array(rows.length * 4);
  rows.forEach((row, i) => {
    intervals.set([row.promptBegin, row.promptEnd, row.ownBegin, row.ownBegin + index + 1], i * 4);
  });
  const first = decoder.writeRows({
    tokens: isRead ? Int32Array.from(rows, (row) => row.tokens[index] ?? 0) : undefined,
    positions: Int32Array.from(rows, (row) => row.promptEnd - row.promptBegin + index),
    kvRows: Int32Array.from(rows, (row) => row.ownBegin + index),
    intervals,
  });
  rows.forEach((row, i) => {
    row.inputRows.push(first + i);
  });
  writeSampled(decoder.policy, rows, (_, i) => first + i, length, isRead);
}

/** Which rows sample, and what keys their draws. */
function writeSampled(
  { engine, slots: { inputs } }: Policy,
  rows: readonly Row[],
  source: (row: Row, i: number) => number,
  counter: number,
  isNewBatch: boolean,
): void {
  engine.write(inputs.lossIndex, Int32Array.from(rows, source));
  engine.write(inputs.counters, new Int32Array(rows.length).fill(counter));
  if (!isNewBatch) return;
  const numbers = new Int32Array(rows.length * 2);
  rows.forEach(({ rolloutNumber }, i) => {
    numbers[i * 2] = rolloutNumber | 0;
    numbers[i * 2 + 1] = Math.floor(rolloutNumber / 2 ** 32);
  });
  engine.write(inputs.rolloutNumbers, numbers);
}

/** Appends the tokens of so many steps and marks the completions that end with one of them. */
async function takeTokens(
  decoder: Decoder,
  rows: readonly Row[],
  settings: GenerationSettings,
  steps: number,
): Promise<void> {
  const sampled = await decoder.read(steps * rows.length);
  const { fixedCompletionTokens, maxCompletionTokens, eosTokenId } = settings;
  rows.forEach((row, i) => {
    for (let at = i; at < steps * rows.length && row.finishReason === undefined; at += rows.length) {
      const token = sampled.tokens[at] ?? 0;
      row.tokens.push(token);
      row.logprobs.push(sampled.logprobs[at] ?? 0);
      row.entropies.push(sampled.entropies[at] ?? 0);
      row.keptLogMass.push(sampled.keptLogMass[at] ?? 0);
      if (fixedCompletionTokens !== undefined) {
        if (row.tokens.length >= fixedCompletionTokens) row.finishReason = 'stop';
      } else if (token === eosTokenId) row.finishReason = 'eos';
      else if (row.tokens.length >= maxCompletionTokens) row.finishReason = 'length';
    }
    row.inputRows.length = Math.min(row.inputRows.length, row.tokens.length - 1); // its last token is no input
  });
}

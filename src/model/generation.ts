/**
 * Batched sampling: each prompt's keys and values are computed once and read by all of its completions; rows that
 * have finished leave the batch at once.
 *
 * The token of a completion is a function of (weights, prompt, sampling key, rollout number, position) alone: not
 * of the batch it was sampled in. Log-probs are the scorer's, bit for bit.
 */

import { BackendError } from '../errors.ts';
import type { FinishReason } from '../finish_reason.ts';
import { SAMPLING } from '../kernels/kernels.ts';
import type { ForwardSlots, RowInputs } from './activations.ts';
import type { RolloutRows } from './kept_rollouts.ts';
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

export interface KeptGeneration {
  readonly completions: Completion[][];
  /** One a request; undefined where the requests did not fit the rows that can be kept. */
  readonly places: readonly RolloutRows[] | undefined;
}

export interface Completion {
  /** As sampled; EOS included if it was. */
  readonly tokens: Int32Array;
  /** One a token: tempered, full vocabulary. */
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  /** Log of the probability mass that top-k, top-p and min-p kept, one a token; all 0 when they are off. */
  readonly keptLogMass: Float32Array;
  readonly finishReason: FinishReason;
}

/** A completion while it grows. */
interface Row {
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

/** Completions of each request, in order. Requests that do not fit side by side are sampled one after another. */
export async function generate(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
): Promise<Completion[][]> {
  const results: Completion[][] = [];
  for (const chunk of splitRequests(policy, requests, maxTokens(settings))) {
    const rows = await growRows(policy, chunk, settings, new Decoder(policy));
    results.push(...byRequest(chunk, rows, finished));
  }
  return joinParts(requests, results);
}

/** The same completions; their activations stay, for `Policy.keep`, until the next call. */
export async function generateKept(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
): Promise<KeptGeneration> {
  const tokens = maxTokens(settings);
  const perSample = Math.max(0, tokens - 1);
  const most = requests.reduce((sum, r) => sum + r.prompt.length + r.rolloutNumbers.length * perSample, 0);
  const together = splitRequests(policy, requests, tokens).length === 1;
  if (!policy.keepsRollouts || !together || most > policy.capacity.keptRows) {
    return { completions: await generate(policy, requests, settings), places: undefined };
  }
  const rows = await growRows(policy, requests, settings, new KeepingDecoder(policy));
  const grouped = byRequest(requests, rows, (row) => row);
  const places = grouped.map((group): RolloutRows => {
    const promptBegin = group[0]?.promptBegin ?? 0; // prompts are the first rows of both, in the same order
    const inputRows = group.map((row) => Int32Array.from(row.inputRows));
    return { promptBegin, rows: inputRows, promptKvBegin: promptBegin, kvBegins: group.map((row) => row.ownBegin) };
  });
  return { completions: grouped.map((group) => group.map(finished)), places };
}

function byRequest<T>(requests: readonly GenerationRequest[], rows: readonly Row[], of: (row: Row) => T): T[][] {
  let next = 0;
  return requests.map(({ rolloutNumbers }) => rolloutNumbers.map(() => of(rows[next++] as Row)));
}

function maxTokens({ fixedCompletionTokens, maxCompletionTokens }: GenerationSettings): number {
  return fixedCompletionTokens ?? maxCompletionTokens;
}

/** Chunks that fit the cache, the row capacity and the completion capacity; a long request is cut into parts. */
function splitRequests(policy: Policy, requests: readonly GenerationRequest[], tokens: number): GenerationRequest[][] {
  const { rows, kvRows, completions } = policy.capacity;
  for (const { prompt } of requests) checkRequest(policy, prompt, tokens);
  const chunks: GenerationRequest[][] = [];
  let prompts = 0;
  let samples = 0;
  for (const request of requests) {
    const perSample = Math.max(0, tokens - 1);
    const most = Math.max(
      1,
      Math.min(completions, rows, Math.floor((kvRows - request.prompt.length) / Math.max(1, perSample))),
    );
    for (let first = 0; first < request.rolloutNumbers.length; first += most) {
      const part = { prompt: request.prompt, rolloutNumbers: request.rolloutNumbers.slice(first, first + most) };
      const promptRows = prompts + part.prompt.length;
      const allSamples = samples + part.rolloutNumbers.length;
      const fits =
        promptRows <= rows &&
        allSamples <= Math.min(completions, rows) &&
        promptRows + allSamples * perSample <= kvRows;
      const last = chunks[chunks.length - 1];
      if (fits && last !== undefined) {
        last.push(part);
        prompts = promptRows;
        samples = allSamples;
      } else {
        chunks.push([part]);
        prompts = part.prompt.length;
        samples = part.rolloutNumbers.length;
      }
    }
  }
  return chunks;
}

/** @throws BackendError where a prompt is empty or unknown, or one completion alone does not fit */
function checkRequest({ capacity, shape }: Policy, prompt: Int32Array, tokens: number): void {
  const unknown = prompt.find((token) => token < 0 || token >= shape.vocabSize);
  if (prompt.length === 0 || unknown !== undefined) {
    const seen = unknown === undefined ? 'the prompt is empty' : `token ${unknown} is outside the vocabulary`;
    throw new BackendError('prompt', `${seen} — a prompt is 1 or more tokens below ${shape.vocabSize}.`);
  }
  const needed = prompt.length + tokens;
  if (needed <= capacity.context && needed - 1 <= capacity.kvRows && prompt.length <= capacity.rows) return;
  throw new BackendError(
    'capacity',
    `a prompt of ${prompt.length} tokens with ${tokens} to come — this policy was opened for ${capacity.context} in all ` +
      `(${capacity.rows} rows, ${capacity.kvRows} cache rows). Shorten the prompt, or open it with more.`,
  );
}

/** Puts the parts of cut requests together again. */
function joinParts(requests: readonly GenerationRequest[], parts: readonly Completion[][]): Completion[][] {
  let next = 0;
  return requests.map(({ rolloutNumbers }) => {
    const all: Completion[] = [];
    while (all.length < rolloutNumbers.length) all.push(...(parts[next++] ?? []));
    return all;
  });
}

async function growRows(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
  decoder: Decoder,
): Promise<Row[]> {
  const { inputs, results } = policy.slots;
  const sampling = new Float32Array(SAMPLING.length);
  sampling[SAMPLING.temperature] = settings.sampling.temperature;
  sampling[SAMPLING.topK] = settings.sampling.topK;
  sampling[SAMPLING.topP] = settings.sampling.topP;
  sampling[SAMPLING.minP] = settings.sampling.minP ?? 0;
  policy.engine.write(results.sampling, sampling);
  policy.engine.write(inputs.samplingKey, Int32Array.from(settings.samplingKey));

  const rows = placeRows(requests, maxTokens(settings));
  writePrefill(decoder, requests, rows);
  let growing = rows;
  while (growing.length > 0) {
    await decoder.step();
    await takeTokens(policy, growing, settings);
    growing = growing.filter((row) => row.finishReason === undefined);
    if (growing.length > 0) writeDecode(decoder, growing);
  }
  return rows;
}

/** Where a decoding step's rows go: always the first ones. */
class Decoder {
  readonly policy: Policy;

  constructor(policy: Policy) {
    this.policy = policy;
  }

  /** Fills the input slots; returns the row of the first. */
  writeRows(arrays: RowArrays): number {
    const { engine, slots } = this.policy;
    this.writeAt(slots.inputs, arrays, 0);
    engine.write(slots.inputs.counts, [arrays.tokens.length], COUNTS.rows);
    return 0;
  }

  async step(): Promise<void> {
    await this.policy.replaySample(false);
  }

  protected writeAt(inputs: RowInputs, { tokens, positions, kvRows, intervals }: RowArrays, row: number): void {
    const { engine } = this.policy;
    engine.write(inputs.tokens, tokens, row);
    engine.write(inputs.positions, positions, row);
    engine.write(inputs.kvRows, kvRows, row);
    engine.write(inputs.intervals, intervals, row * 4);
  }
}

/** Each step's rows are appended to those before it, and stay. */
class KeepingDecoder extends Decoder {
  #next = 0;

  override writeRows(arrays: RowArrays): number {
    const { engine, slots } = this.policy;
    const begin = this.#next;
    this.#next += arrays.tokens.length;
    this.writeAt((slots.rollout as ForwardSlots).inputs, arrays, begin);
    engine.write(slots.inputs.counts, [begin, this.#next], COUNTS.rolloutBegin);
    return begin;
  }

  override async step(): Promise<void> {
    await this.policy.replaySample(true);
  }
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
  writeSampled(decoder.policy, rows, (row) => row.promptEnd - 1, 0);
}

/** The newest token of each growing completion goes in. */
function writeDecode(decoder: Decoder, rows: readonly Row[]): void {
  const tokens = new Int32Array(rows.length);
  const positions = new Int32Array(rows.length);
  const kvRows = new Int32Array(rows.length);
  const intervals = new Int32Array(rows.length * 4);
  rows.forEach((row, i) => {
    const index = row.tokens.length - 1;
    tokens[i] = row.tokens[index] ?? 0;
    positions[i] = row.promptEnd - row.promptBegin + index;
    kvRows[i] = row.ownBegin + index;
    intervals.set([row.promptBegin, row.promptEnd, row.ownBegin, row.ownBegin + index + 1], i * 4);
  });
  const first = decoder.writeRows({ tokens, positions, kvRows, intervals });
  rows.forEach((row, i) => {
    row.inputRows.push(first + i);
  });
  writeSampled(decoder.policy, rows, (_, i) => first + i, rows[0]?.tokens.length ?? 0);
}

interface RowArrays {
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly kvRows: Int32Array;
  readonly intervals: Int32Array;
}

function writeSampled(
  policy: Policy,
  rows: readonly Row[],
  source: (row: Row, i: number) => number,
  counter: number,
): void {
  const { inputs } = policy.slots;
  const numbers = new Int32Array(rows.length * 2);
  rows.forEach(({ rolloutNumber }, i) => {
    numbers[i * 2] = rolloutNumber | 0;
    numbers[i * 2 + 1] = Math.floor(rolloutNumber / 2 ** 32);
  });
  policy.engine.write(inputs.lossIndex, Int32Array.from(rows, source));
  policy.engine.write(inputs.rolloutNumbers, numbers);
  policy.engine.write(inputs.counters, new Int32Array(rows.length).fill(counter));
  policy.engine.write(inputs.counts, [rows.length], COUNTS.samples);
}

/** Appends the sampled tokens and marks the completions that end with them. */
async function takeTokens(policy: Policy, rows: readonly Row[], settings: GenerationSettings): Promise<void> {
  const { inputs, results } = policy.slots;
  const tokens = await policy.engine.read(inputs.sampled, rows.length);
  const logprobs = await policy.engine.read(results.logprobs, rows.length);
  const entropies = await policy.engine.read(results.entropies, rows.length);
  const kept = await policy.engine.read(results.keptLogMass, rows.length);
  const { fixedCompletionTokens, maxCompletionTokens, eosTokenId } = settings;
  rows.forEach((row, i) => {
    const token = tokens[i] ?? 0;
    row.tokens.push(token);
    row.logprobs.push(logprobs[i] ?? 0);
    row.entropies.push(entropies[i] ?? 0);
    row.keptLogMass.push(kept[i] ?? 0);
    if (fixedCompletionTokens !== undefined) {
      if (row.tokens.length >= fixedCompletionTokens) row.finishReason = 'stop';
    } else if (token === eosTokenId) row.finishReason = 'eos';
    else if (row.tokens.length >= maxCompletionTokens) row.finishReason = 'length';
  });
}

function finished(row: Row): Completion {
  return {
    tokens: Int32Array.from(row.tokens),
    logprobs: Float32Array.from(row.logprobs),
    entropies: Float32Array.from(row.entropies),
    keptLogMass: Float32Array.from(row.keptLogMass),
    finishReason: row.finishReason ?? 'length',
  };
}

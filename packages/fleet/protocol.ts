/**
 * What a learner and its workers say to each other: tasks and results, as bytes in which floats keep their bits. The rest is JSON
 * (`cards.ts`). Every message is checked, sizes and ranges included, before anything of it is used.
 *
 * A task names all that its answer depends on: weights by their hash, prompts, numbers of rollouts, sampling and end rules.
 * So a worker knows no problem, no verdict and no reward, and any two workers of one class of bits give equal bytes.
 */
import type { FinishReason } from '../../src/finish_reason.ts';
import type { SampleRequest } from '../../src/grpo/generator.ts';
import { murmur3 } from '../../src/kernels/murmur3.ts';
import type { Completion, GenerationSettings } from '../../src/model/sampling/generation.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

/** Rises with every change of what a message means: learner and workers must have the same. */
export const PROTOCOL = 6;

/** Largest message: what servers take by default, less room for headers. */
export const MESSAGE_BYTES = 1024 * 1024 - 4096;

/** Bytes of a worker's id, which only the worker and its learner know. */
export const WORKER_ID_BYTES = 16;
/** Longest time that a worker may say a task took. */
const MOST_SECONDS = 1e6;

const HASH_BYTES = 32;
export const MOST_TOKENS = 1_000_000;
const MOST_REQUESTS = 65_535;
const MOST_STOP_IDS = 1024;
const MOST_ROLLOUT = 2 ** 40 - 1;
const MOST_TURN = 2 ** 12 - 1;
const MOST_WEIGHT_BYTES = 2 ** 40;
const FINISH_REASONS: readonly FinishReason[] = ['eos', 'length', 'stop'];
/** Protocol, kind, task, worker, seconds. */
const RESULT_HEAD_BYTES = 2 + 1 + 4 + WORKER_ID_BYTES + 8;
const KINDS = { task: 1, result: 2 } as const;

/** Weights of a version. */
export interface WeightsName {
  /** Optimizer steps that made them. */
  readonly version: number;
  /** SHA-256 of their bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** They are sent as a step from others, which are sent whole: SHA-256 of those, and bytes of the step. */
  readonly step?: { readonly from: string; readonly bytes: number };
}

/** Completions to sample. */
export interface FleetTask {
  /** Number of the task in its session. */
  readonly id: number;
  readonly weights: WeightsName;
  readonly settings: GenerationSettings;
  /** Labels of tokens stay with the learner. */
  readonly requests: readonly SampleRequest[];
}

/** A sampled completion; labels follow from the task. */
export type SampledCompletion = Omit<Completion, 'labels'>;

/** What was sampled for a task. */
export interface FleetResult {
  readonly task: number;
  /** Id of the worker, in hexadecimal digits. */
  readonly worker: string;
  /** That it took, by the worker's own clock. */
  readonly seconds: number;
  /** [requests][rollouts] */
  readonly completions: readonly (readonly SampledCompletion[])[];
}

export function encodeTask({ id, weights, settings, requests }: FleetTask): Uint8Array<ArrayBuffer> {
  const to = begin('task');
  to.u32(id);
  to.u32(weights.version);
  to.hex(weights.sha256);
  to.f64(weights.bytes);
  to.u8(weights.step === undefined ? 0 : 1);
  if (weights.step !== undefined) {
    to.hex(weights.step.from);
    to.f64(weights.step.bytes);
  }
  const {
    sampling,
    samplingKey,
    maxCompletionTokens,
    stopIds,
    fixedCompletionTokens,
    turnTokens = 0,
    fromCopy = false,
  } = settings;
  to.f64(sampling.temperature);
  to.u32(sampling.topK);
  to.f64(sampling.topP);
  to.u8(sampling.minP === null ? 0 : 1);
  to.f64(sampling.minP ?? 0);
  to.ints(Int32Array.from(samplingKey));
  to.u32(maxCompletionTokens);
  to.u8(fixedCompletionTokens === undefined ? 0 : 1);
  to.u32(fixedCompletionTokens ?? 0);
  to.u32(turnTokens);
  to.u8(fromCopy ? 1 : 0);
  writeInts(to, Int32Array.from(stopIds));
  to.u16(requests.length);
  for (const { prompt, rollouts } of requests) {
    writeInts(to, prompt);
    to.u16(rollouts.length);
    for (const { rollout, turn = 0, tokens } of rollouts) {
      to.f64(rollout);
      to.u16(turn);
      to.u8(tokens === undefined ? 0 : 1);
      if (tokens !== undefined) writeInts(to, tokens);
    }
  }
  return to.bytes();
}

/** @throws FleetError for a message that is no task, or of another protocol */
export function decodeTask(bytes: Uint8Array): FleetTask {
  const from = open('task', bytes);
  const id = from.u32();
  const weights = readWeightsName(from);
  const temperature = real(from, 'temperature', 0, 100);
  const topK = from.within('top k', from.u32(), 0, MOST_TOKENS);
  const topP = real(from, 'top p', 0, 1);
  const hasMinP = flag(from);
  const minP = real(from, 'min p', 0, 1);
  const [first, second] = from.ints(2);
  const maxCompletionTokens = from.within('most tokens', from.u32(), 1, MOST_TOKENS);
  const isFixed = flag(from);
  const fixed = from.within('fixed tokens', from.u32(), isFixed ? 1 : 0, MOST_TOKENS);
  const turnTokens = from.within('tokens of a turn', from.u32(), 0, MOST_TOKENS);
  const fromCopy = flag(from);
  const stopIds = [...readInts(from, 'end tokens', 0, MOST_STOP_IDS)];
  const settings: GenerationSettings = {
    sampling: { temperature, topK, topP, minP: hasMinP ? minP : null },
    samplingKey: [first, second],
    maxCompletionTokens,
    stopIds,
    ...(isFixed && { fixedCompletionTokens: fixed }),
    ...(turnTokens > 0 && { turnTokens }),
    ...(fromCopy && { fromCopy }),
  };
  const requests = Array.from({ length: from.within('prompts', from.u16(), 1, MOST_REQUESTS) }, () => {
    const prompt = readInts(from, 'tokens of a prompt', 1, MOST_TOKENS);
    const rollouts = Array.from({ length: from.within('rollouts', from.u16(), 1, MOST_REQUESTS) }, () => {
      const rollout = from.within('number of a rollout', from.f64(), 0, MOST_ROLLOUT);
      const turn = from.within('number of a turn', from.u16(), 0, MOST_TURN);
      return { rollout, turn, ...(flag(from) && { tokens: readInts(from, 'tokens so far', 0, MOST_TOKENS) }) };
    });
    return { prompt, rollouts };
  });
  from.end();
  return { id, weights, settings, requests };
}

export function encodeResult({ task, worker, seconds, completions }: FleetResult): Uint8Array<ArrayBuffer> {
  const to = begin('result');
  to.u32(task);
  to.hex(worker);
  to.f64(seconds);
  to.u16(completions.length);
  for (const own of completions) writeCompletions(to, own);
  return to.bytes();
}

/** The bytes of a group's completions: two are the same group where these are equal. */
export function completionBytes(completions: readonly SampledCompletion[]): Uint8Array<ArrayBuffer> {
  const to = new ByteWriter();
  writeCompletions(to, completions);
  return to.bytes();
}

/** Bytes that a completion takes in a result, at most. */
export function mostCompletionBytes(tokens: number): number {
  return 5 + 16 * tokens;
}

/** Which task a result is of, and whose it is: as much as is needed to look up what the rest has to be. @throws FleetError */
export function readResultHead(bytes: Uint8Array): Pick<FleetResult, 'task' | 'worker' | 'seconds'> {
  const from = open('result', bytes);
  return { task: from.u32(), worker: from.hex(WORKER_ID_BYTES), seconds: real(from, 'seconds', 0, MOST_SECONDS) };
}

/**
 * @param task  that it has to be of
 * @param vocabSize  tokens are below it
 * @throws FleetError where it is not an answer to the task, whatever its floats are
 */
export function decodeResult(bytes: Uint8Array, { requests, settings }: FleetTask, vocabSize: number): FleetResult {
  const from = open('result', bytes);
  const task = from.u32();
  const worker = from.hex(WORKER_ID_BYTES);
  const seconds = real(from, 'seconds', 0, MOST_SECONDS);
  from.within('prompts', from.u16(), requests.length, requests.length);
  const completions = requests.map(({ rollouts }) => {
    from.within('completions', from.u16(), rollouts.length, rollouts.length);
    return rollouts.map(({ tokens }) => readCompletion(from, settings, vocabSize, tokens));
  });
  from.end();
  return { task, worker, seconds, completions };
}

/** Hash of what was answered, the same from any worker. @param bytes  of a result */
export function answerDigest(bytes: Uint8Array): string {
  const words = new Uint32Array(4);
  const answer = bytes.subarray(RESULT_HEAD_BYTES);
  murmur3(answer, answer.length, 0, words);
  return words.join();
}

/** Whether a float is one that no healthy policy gives: an honest worker's may be too, where the weights have overflowed. */
export function hasOddFloats(completions: readonly SampledCompletion[]): boolean {
  return completions.some(({ logprobs, entropies, keptLogMass }) =>
    [logprobs, entropies, keptLogMass].some((values) => !values.every(Number.isFinite)),
  );
}

function readWeightsName(from: ByteReader): WeightsName {
  const version = from.u32();
  const sha256 = from.hex(HASH_BYTES);
  const bytes = from.within('size of the weights', from.f64(), 4, MOST_WEIGHT_BYTES);
  if (!flag(from)) return { version, sha256, bytes };
  const whole = from.hex(HASH_BYTES);
  return { version, sha256, bytes, step: { from: whole, bytes: from.within('size of a step', from.f64(), 1, bytes) } };
}

function writeCompletions(to: ByteWriter, completions: readonly SampledCompletion[]): void {
  to.u16(completions.length);
  for (const { tokens, logprobs, entropies, keptLogMass, finishReason } of completions) {
    to.u8(FINISH_REASONS.indexOf(finishReason));
    writeInts(to, tokens);
    to.floats(logprobs);
    to.floats(entropies);
    to.floats(keptLogMass);
  }
}

function readCompletion(
  from: ByteReader,
  { stopIds, maxCompletionTokens, fixedCompletionTokens: fixed, turnTokens }: GenerationSettings,
  vocabSize: number,
  begun: Int32Array = new Int32Array(),
): SampledCompletion {
  const finishReason = FINISH_REASONS[from.within('end', from.u8(), 0, FINISH_REASONS.length - 1)];
  const room = fixed ?? maxCompletionTokens;
  const most = Math.min(room, begun.length + (turnTokens ?? room));
  const count = from.within('tokens of a completion', from.u32(), Math.max(1, begun.length), most);
  const tokens = from.ints(count);
  for (const token of tokens) from.within('a token', token, 0, vocabSize - 1);
  begun.forEach((token, i) => {
    if (tokens[i] !== token)
      throw from.wrong(`token ${i} of a completion is ${tokens[i]}, and it begins with ${token}`);
  });
  const isEnded = fixed === undefined && stopIds.includes(tokens[count - 1]);
  const isRight =
    fixed !== undefined
      ? finishReason === (count === fixed ? 'stop' : 'length') && count === most
      : finishReason === (isEnded ? 'eos' : 'length') && (isEnded || count === most);
  if (!isRight) throw from.wrong(`a completion of ${count} tokens, of at most ${most}, ends by ${finishReason}`);
  const [logprobs, entropies, keptLogMass] = [from.floats(count), from.floats(count), from.floats(count)];
  return { tokens, logprobs, entropies, keptLogMass, finishReason };
}

function begin(kind: keyof typeof KINDS): ByteWriter {
  const to = new ByteWriter();
  to.u16(PROTOCOL);
  to.u8(KINDS[kind]);
  return to;
}

function open(kind: keyof typeof KINDS, bytes: Uint8Array): ByteReader {
  const from = new ByteReader(kind, bytes);
  if (bytes.length > MESSAGE_BYTES) throw from.wrong(`${bytes.length} bytes, and ${MESSAGE_BYTES} are the most`);
  const protocol = from.u16();
  if (protocol !== PROTOCOL) throw from.wrong(`of protocol ${protocol}, and this program speaks ${PROTOCOL}`);
  if (from.u8() !== KINDS[kind]) throw from.wrong('it is of another kind');
  return from;
}

function writeInts(to: ByteWriter, values: Int32Array): void {
  to.u32(values.length);
  to.ints(values);
}

function readInts(from: ByteReader, name: string, min: number, max: number): Int32Array {
  const values = from.ints(from.within(`number of ${name}`, from.u32(), min, max));
  for (const value of values) from.within(name, value, 0, MOST_TOKENS);
  return values;
}

function real(from: ByteReader, name: string, min: number, max: number): number {
  const value = from.f64();
  if (value >= min && value <= max) return value;
  throw from.wrong(`${name} is ${value}, and may be ${min} to ${max}`);
}

function flag(from: ByteReader): boolean {
  return from.within('a flag', from.u8(), 0, 1) === 1;
}

/**
 * Batched sampling in one call: completions of each request, to their end. Each prompt's keys and values are computed
 * once and read by all of its completions; those that have finished leave the batch at once.
 *
 * A token is a function of (weights, prompt, sampling key, rollout number, position) only, not of its batch. Log-probs
 * are the scorer's, bit for bit.
 */

import type { FinishReason } from '../../finish_reason.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Policy } from '../policy.ts';
import type { RolloutRows } from './kept_rollouts.ts';
import { checkRoom } from './sample_request.ts';
import type { SampledSequence } from './sampled_sequence.ts';
import type { Sampler } from './sampler.ts';
import { openSampler } from './sampler.ts';
import type { GenerationSettings } from './settings.ts';

export type { GenerationSettings, SamplingSettings } from './settings.ts';
export { wholeVocabulary } from './settings.ts';

/** A prompt, and which completions of it are asked for. */
export interface GenerationRequest {
  readonly prompt: Int32Array;
  /** One completion per number: run-wide numbers of the rollouts, which key their random draws. */
  readonly rolloutNumbers: readonly number[];
  /** [completions] tokens that each begins with, of kind `given`. */
  readonly prefixes?: readonly Int32Array[] | undefined;
}

export interface KeptGeneration {
  readonly completions: Completion[][];
  /** One per request; undefined where the requests did not fit the rows that can be kept. */
  readonly places: readonly RolloutRows[] | undefined;
}

/** A sampled completion with the log-prob of each token, which equals the scorer's, bit for bit. */
export interface Completion {
  /** As sampled; EOS included if it was. */
  readonly tokens: Int32Array;
  /** One per token: tempered, full vocabulary. */
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  /** Log of the probability mass that top-k, top-p and min-p kept, one per token; all 0 when they are off. */
  readonly keptLogMass: Float32Array;
  readonly finishReason: FinishReason;
  /** [tokens] of TOKEN, where some were put in by the caller; absent: all sampled. */
  readonly labels?: Uint8Array;
  /** [tokens × bytes] support of each token (`../support.ts`); absent: everything, throughout. */
  readonly support?: Uint8Array;
}

/**
 * Samples completions. Requests that do not fit side by side are sampled one after another, to the same bits.
 * @returns [requests][rollout numbers] completions, in order
 * @throws BackendError where a prompt is empty, outside the vocabulary, or too long for the policy's context
 */
export async function generate(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
): Promise<Completion[][]> {
  return (await generateKept(policy, requests, { ...settings, keep: false })).completions;
}

/**
 * The same completions; their activations stay, for `Policy.keep`, until the next call. @param settings keep: whether
 * to keep them; default true
 */
export async function generateKept(
  policy: Policy,
  requests: readonly GenerationRequest[],
  { keep = true, watch, ...settings }: GenerationSettings & { readonly keep?: boolean },
): Promise<KeptGeneration> {
  const chunks = splitRequests(policy, requests, maxTokens(settings));
  const sampler = openSampler(policy, { ...settings, keep: keep && fitsKept(policy, requests, maxTokens(settings)) });
  const parts: Completion[][] = [];
  let places: RolloutRows[] | undefined;
  let before = 0;
  for (const chunk of chunks) {
    const groups = added(sampler, chunk, settings);
    const sequences = groups.flat();
    await sampler.run(sequences, 'all end', watch && (() => watch(sequences, before)));
    before += sequences.length;
    parts.push(...groups.map((group) => group.map((sequence) => finished(sequence, settings))));
    if (sampler.keeps) places = groups.map((group) => sampler.keptRows(group));
    else sampler.release(sequences);
  }
  return { completions: joinParts(requests, parts), places };
}

/** Whether the rows of all requests can be kept, so that they make one forward pass. @param tokens  of a completion, at most */
export function fitsKept(policy: Policy, requests: readonly GenerationRequest[], tokens: number): boolean {
  const perSample = Math.max(0, tokens - 1);
  const most = requests.reduce((sum, r) => sum + r.prompt.length + r.rolloutNumbers.length * perSample, 0);
  const isPlain = requests.every(({ prefixes }) => prefixes === undefined);
  return isPlain && most <= policy.capacity.keptRows && splitRequests(policy, requests, tokens).length === 1;
}

/** Most tokens of a completion. */
export function maxTokens({ fixedCompletionTokens, maxCompletionTokens }: GenerationSettings): number {
  return fixedCompletionTokens ?? maxCompletionTokens;
}

/** Allocates requests that fit side by side; returns sequences of each request, in order, with their given tokens. */
function added(
  sampler: Sampler,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
): SampledSequence[][] {
  const stopIds = settings.fixedCompletionTokens === undefined ? settings.stopIds : [];
  const sequences = sampler.add(
    requests.map(({ prompt, rolloutNumbers }) => ({
      prefix: prompt,
      rolloutNumbers,
      stopIds,
      maxTokens: settings.turnTokens ?? maxTokens(settings),
      room: maxTokens(settings),
    })),
  );
  begin(sampler, sequences, requests);
  let next = 0;
  return requests.map(({ rolloutNumbers }) => rolloutNumbers.map(() => sequences[next++] as SampledSequence));
}

/** Puts in the tokens that completions begin with. @param sequences  of the requests, in order, nothing sampled yet */
export function begin(
  sampler: Sampler,
  sequences: readonly SampledSequence[],
  requests: readonly GenerationRequest[],
): void {
  const prefixes = requests.flatMap(({ rolloutNumbers, prefixes: own }) => rolloutNumbers.map((_, i) => own?.[i]));
  sequences.forEach((sequence, i) => {
    const prefix = prefixes[i];
    if (prefix !== undefined && prefix.length > 0) sampler.append(sequence, prefix);
  });
}

/** Chunks that fit the cache, the row capacity and the completion capacity; a long request is cut into parts. */
export function splitRequests(
  policy: Policy,
  requests: readonly GenerationRequest[],
  tokens: number,
): GenerationRequest[][] {
  const { rows, kvRows, completions } = policy.capacity;
  for (const { prompt } of requests) checkRoom(policy, prompt, tokens);
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
      const part: GenerationRequest = {
        prompt: request.prompt,
        rolloutNumbers: request.rolloutNumbers.slice(first, first + most),
        prefixes: request.prefixes?.slice(first, first + most),
      };
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

/** Joins the parts of split requests. */
export function joinParts(requests: readonly GenerationRequest[], parts: readonly Completion[][]): Completion[][] {
  let next = 0;
  return requests.map(({ rolloutNumbers }) => {
    const all: Completion[] = [];
    while (all.length < rolloutNumbers.length) all.push(...(parts[next++] ?? []));
    return all;
  });
}

function finished(sequence: SampledSequence, { fixedCompletionTokens: fixed }: GenerationSettings): Completion {
  const isWhole = fixed !== undefined && sequence.tokens.length >= fixed;
  return completionOf(sequence, isWhole ? 'stop' : (sequence.finishReason ?? 'length'));
}

/** Copies a sequence, whose arrays are views, into a completion. */
export function completionOf(sequence: SampledSequence, finishReason: FinishReason): Completion {
  const { tokens, labels, logprobs, entropies, keptLogMass } = sequence;
  return {
    tokens: tokens.slice(),
    ...(labels.includes(TOKEN.given) && { labels: labels.slice() }),
    logprobs: logprobs.slice(),
    entropies: entropies.slice(),
    keptLogMass: keptLogMass.slice(),
    finishReason,
  };
}

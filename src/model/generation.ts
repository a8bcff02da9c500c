/**
 * Batched sampling: each prompt's keys and values are computed once and read by all of its completions; rows that
 * have finished leave the batch at once.
 *
 * The token of a completion is a function of (weights, prompt, sampling key, rollout number, position) alone: not
 * of the batch it was sampled in. Log-probs are the scorer's, bit for bit.
 */

import { BackendError } from '../errors.ts';
import type { FinishReason } from '../finish_reason.ts';
import type { GenerationRequest, GenerationSettings, Row } from './decode.ts';
import { growRows, maxTokens } from './decode.ts';
import type { RolloutRows } from './kept_rollouts.ts';
import type { Policy } from './policy.ts';

export type { GenerationRequest, GenerationSettings, SamplingSettings } from './decode.ts';
export { wholeVocabulary } from './decode.ts';

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

/** Completions of each request, in order. Requests that do not fit side by side are sampled one after another. */
export async function generate(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
): Promise<Completion[][]> {
  const results: Completion[][] = [];
  for (const chunk of splitRequests(policy, requests, maxTokens(settings))) {
    const rows = await growRows(policy, chunk, settings, 'discard');
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
  const rows = await growRows(policy, requests, settings, 'keep');
  const grouped = byRequest(requests, rows, (row) => row);
  const places = grouped.map((group): RolloutRows => {
    const promptBegin = group[0]?.promptBegin ?? 0; // prompts are the first rows of both, in the same order
    const inputRows = group.map((row) => Int32Array.from(row.inputRows));
    const promptRows = Int32Array.from({ length: (group[0]?.promptEnd ?? 0) - promptBegin }, (_, t) => promptBegin + t);
    return { promptRows, rows: inputRows, promptKvBegin: promptBegin, kvBegins: group.map((row) => row.ownBegin) };
  });
  return { completions: grouped.map((group) => group.map(finished)), places };
}

function byRequest<T>(requests: readonly GenerationRequest[], rows: readonly Row[], of: (row: Row) => T): T[][] {
  let next = 0;
  return requests.map(({ rolloutNumbers }) => rolloutNumbers.map(() => of(rows[next++] as Row)));
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

function finished(row: Row): Completion {
  return {
    tokens: Int32Array.from(row.tokens),
    logprobs: Float32Array.from(row.logprobs),
    entropies: Float32Array.from(row.entropies),
    keptLogMass: Float32Array.from(row.keptLogMass),
    finishReason: row.finishReason ?? 'length',
  };
}

/**
 * Controlled sampling: after each token the caller may end the completion or append tokens, and each position may have
 * its own temperature. There is one step per read. Tokens that were put in are labelled as given; log-probs of the
 * others are the scorer's at their temperature, bit for bit.
 */
import type { Policy } from '../policy.ts';
import type { Completion, GenerationRequest, GenerationSettings } from './generation.ts';
import { begin, completionOf, joinParts, maxTokens, splitRequests } from './generation.ts';
import { NarrowedDraws } from './narrowed_draws.ts';
import type { SampledSequence } from './sampled_sequence.ts';
import { openSampler, type Sampler } from './sampler.ts';

/** What happens after the newest token: the completion ends, continues with these tokens, or samples the next one. */
export type AfterToken = (tokens: Int32Array, request: number) => 'stop' | readonly number[] | undefined;

/** What the caller decides while completions are sampled. */
export interface GenerationControl {
  /** Called with the index of the request. */
  readonly after: AfterToken;
  /**
   * Called when a stop id has ended a completion, with the tokens before it; returns tokens that replace the stop id,
   * or undefined to keep it.
   */
  readonly atEnd?: (tokens: Int32Array, request: number) => readonly number[] | undefined;
  /** Temperature of the token at this place of a completion; absent: that of the settings throughout. */
  readonly temperature?: (place: number) => number;
  /** The tokens that may come next in a completion of this request, as bits (`../support.ts`); undefined: all of them. */
  readonly allowed?: (tokens: Int32Array, request: number) => Uint8Array | undefined;
  /** Log-probs are relative to the tokens that top-k, top-p and min-p keep. */
  readonly isTruncated?: boolean;
}

/** Completions of each request, in order. */
export async function generateControlled(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
  control: GenerationControl,
): Promise<Completion[][]> {
  const { after, atEnd, temperature } = control;
  const results: Completion[][] = [];
  const indexOf = new Map(requests.flatMap(({ rolloutNumbers }, i) => rolloutNumbers.map((number) => [number, i])));
  const draws = narrowedDraws(policy, settings, control, (number) => indexOf.get(number) as number);
  const sampler = openSampler(policy, { ...settings, ...(draws && { draws }) });
  for (const chunk of splitRequests(policy, requests, maxTokens(settings))) {
    const groups = chunk.map((request) => addTurns(sampler, request, settings));
    const ended = new Map<SampledSequence, Completion['finishReason']>();
    let open = groups.flat();
    const limits = new Map(open.map((sequence) => [sequence, limitsOf(sequence, settings)]));
    while (open.length > 0) {
      for (const [own, at] of byTemperature(open, temperature)) {
        if (at !== undefined) sampler.useTemperature(at);
        await sampler.run(own);
      }
      open = open.filter((sequence) => {
        const request = indexOf.get(sequence.rolloutNumber) as number;
        const reason = goOn(sampler, sequence, limits.get(sequence) as Limits, {
          after: (tokens) => after(tokens, request),
          atEnd: (tokens) => atEnd?.(tokens, request),
        });
        if (reason !== undefined) ended.set(sequence, reason);
        return reason === undefined;
      });
    }
    results.push(
      ...groups.map((group) =>
        group.map((sequence) => {
          const support = draws?.supportOf(sequence);
          return { ...completionOf(sequence, ended.get(sequence) ?? 'length'), ...(support && { support }) };
        }),
      ),
    );
    sampler.release(groups.flat());
  }
  return joinParts(requests, results);
}

/** Draws the tokens, if not all are allowed. */
function narrowedDraws(
  policy: Policy,
  settings: GenerationSettings,
  { allowed, isTruncated = false }: GenerationControl,
  requestOf: (rolloutNumber: number) => number,
): NarrowedDraws | undefined {
  if (allowed === undefined && !isTruncated) return undefined;
  return new NarrowedDraws(policy, settings, {
    isTruncated,
    ...(allowed && { allowed: (tokens, number) => allowed(tokens, requestOf(number)) }),
  });
}

/** Groups sequences by their next tokens' temperature; usually all are at the same position. */
function byTemperature(
  open: readonly SampledSequence[],
  temperature: GenerationControl['temperature'],
): readonly (readonly [SampledSequence[], number | undefined])[] {
  if (temperature === undefined) return [[[...open], undefined]];
  const groups = new Map<number, SampledSequence[]>();
  for (const sequence of open) {
    const at = temperature(sequence.tokens.length);
    groups.set(at, [...(groups.get(at) ?? []), sequence]);
  }
  return [...groups].map(([at, own]) => [own, at]);
}

/** Turns of one token each, over the whole room of a completion. */
function addTurns(sampler: Sampler, request: GenerationRequest, settings: GenerationSettings): SampledSequence[] {
  const stopIds = settings.fixedCompletionTokens === undefined ? settings.stopIds : [];
  const { prompt: prefix, rolloutNumbers } = request;
  const sequences = sampler.add([{ prefix, rolloutNumbers, stopIds, maxTokens: 1, room: maxTokens(settings) }]);
  begin(sampler, sequences, [request]);
  return sequences;
}

/** @param sequence  with its first given tokens only */
function limitsOf({ tokens }: SampledSequence, settings: GenerationSettings): Limits {
  const room = maxTokens(settings);
  const most = Math.min(room, tokens.length + (settings.turnTokens ?? room));
  return { most, atLimit: most === room && settings.fixedCompletionTokens !== undefined ? 'stop' : 'length' };
}

/** The length limits of a completion. */
interface Limits {
  /** Tokens of it, at most. */
  readonly most: number;
  readonly atLimit: Completion['finishReason'];
}

interface Control {
  readonly after: (tokens: Int32Array) => ReturnType<AfterToken>;
  readonly atEnd: (tokens: Int32Array) => readonly number[] | undefined;
}

/** Opens the next turn, or returns why there is none. */
function goOn(
  sampler: Sampler,
  sequence: SampledSequence,
  { most, atLimit }: Limits,
  { after, atEnd }: Control,
): Completion['finishReason'] | undefined {
  const { tokens } = sequence;
  if (sequence.finishReason === 'eos') {
    const written = tokens.subarray(0, -1);
    const instead = (atEnd(written) ?? []).slice(0, most - written.length);
    if (instead.length === 0) return 'eos';
    sampler.replaceEnd(sequence, instead);
    return sequence.tokens.length >= most ? atLimit : undefined;
  }
  if (tokens.length >= most) return atLimit;
  const next = after(tokens);
  if (next === 'stop') return 'stop';
  sampler.append(sequence, (next ?? []).slice(0, most - tokens.length));
  return sequence.tokens.length >= most ? atLimit : undefined;
}

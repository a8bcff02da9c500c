/**
 * Sampling under the host's eyes: after each token of a completion the caller may end it, or append tokens to it, and each
 * place may have a temperature of its own. One step per read, and tokens that were put in are labelled as given; log-probs of
 * the others are the scorer's at the temperature of their place, bit for bit.
 */
import type { Policy } from '../policy.ts';
import type { Completion, GenerationRequest, GenerationSettings } from './generation.ts';
import { begin, completionOf, joinParts, maxTokens, splitRequests } from './generation.ts';
import type { SampledSequence } from './sampled_sequence.ts';
import { openSampler, type Sampler } from './sampler.ts';

/** What happens after the newest token: the completion ends, continues with these tokens, or samples the next one. */
export type AfterToken = (tokens: Int32Array, request: number) => 'stop' | readonly number[] | undefined;

/** What the caller decides while completions are sampled. */
export interface GenerationControl {
  /** Called with the index of the request. */
  readonly after: AfterToken;
  /** Temperature of the token at this place of a completion; absent: that of the settings throughout. */
  readonly temperature?: (place: number) => number;
}

/** Completions of each request, in order. */
export async function generateControlled(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings,
  { after, temperature }: GenerationControl,
): Promise<Completion[][]> {
  const sampler = openSampler(policy, settings);
  const results: Completion[][] = [];
  const indexOf = new Map(requests.flatMap(({ rolloutNumbers }, i) => rolloutNumbers.map((number) => [number, i])));
  for (const chunk of splitRequests(policy, requests, maxTokens(settings))) {
    const groups = chunk.map((request) => addTurns(sampler, request, settings));
    const ended = new Map<SampledSequence, Completion['finishReason']>();
    let open = groups.flat();
    while (open.length > 0) {
      for (const [own, at] of byTemperature(open, temperature)) {
        if (at !== undefined) sampler.useTemperature(at);
        await sampler.run(own);
      }
      open = open.filter((sequence) => {
        const reason = goOn(sampler, sequence, settings, (tokens) =>
          after(tokens, indexOf.get(sequence.rolloutNumber) as number),
        );
        if (reason !== undefined) ended.set(sequence, reason);
        return reason === undefined;
      });
    }
    results.push(
      ...groups.map((group) => group.map((sequence) => completionOf(sequence, ended.get(sequence) ?? 'length'))),
    );
    sampler.release(groups.flat());
  }
  return joinParts(requests, results);
}

/** The sequences by the temperature of their next tokens; mostly all are at the same place. */
function byTemperature(
  open: readonly SampledSequence[],
  temperature: GenerationControl['temperature'],
): readonly (readonly [SampledSequence[], number | undefined])[] {
  if (temperature === undefined) return [[[...open], undefined]];
  const found = new Map<number, SampledSequence[]>();
  for (const sequence of open) {
    const at = temperature(sequence.tokens.length);
    found.set(at, [...(found.get(at) ?? []), sequence]);
  }
  return [...found].map(([at, own]) => [own, at]);
}

/** Turns of one token each, over the whole room of a completion. */
function addTurns(sampler: Sampler, request: GenerationRequest, settings: GenerationSettings): SampledSequence[] {
  const stopIds = settings.fixedCompletionTokens === undefined ? settings.stopIds : [];
  const { prompt: prefix, rolloutNumbers } = request;
  const sequences = sampler.add([{ prefix, rolloutNumbers, stopIds, maxTokens: 1, room: maxTokens(settings) }]);
  begin(sampler, sequences, [request]);
  return sequences;
}

/** Opens the next turn; or says why there is none. */
function goOn(
  sampler: Sampler,
  sequence: SampledSequence,
  settings: GenerationSettings,
  after: (tokens: Int32Array) => ReturnType<AfterToken>,
): Completion['finishReason'] | undefined {
  const atLimit = settings.fixedCompletionTokens === undefined ? 'length' : 'stop';
  const room = maxTokens(settings);
  if (sequence.finishReason === 'eos') return 'eos';
  if (sequence.tokens.length >= room) return atLimit;
  const next = after(sequence.tokens);
  if (next === 'stop') return 'stop';
  const forced = (next ?? []).slice(0, room - sequence.tokens.length);
  sampler.append(sequence, forced);
  return sequence.tokens.length >= room ? atLimit : undefined;
}

/** Completions of requests, as plain sampling draws them: with a stage's token controls, at whatever temperatures are asked. */
import { atOnce } from '../../data/judging/judged.ts';
import type { TaskItem } from '../../data/task.ts';
import { PluginError } from '../../errors.ts';
import { isQuantised } from '../../methods/chosen.ts';
import type { GroupRequest, PartialCompletion } from '../../methods/points.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { writtenVocabulary } from '../../methods/support/patterns/written_vocabulary.ts';
import type { Completion, KeptGeneration } from '../../model/sampling/generation.ts';
import { supportOf } from '../../model/support.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import { samplingKey } from '../run.ts';
import type { Step } from '../step.ts';
import { type CompletionControl, completionText, sampleControlled, sampleKept } from './complete.ts';
import { wantsOf } from './wants.ts';

/**
 * [requests][samples]; rollouts are numbered on.
 *
 * @param upcoming  problems that will likely be asked next, as the stage asks them
 */
export async function sampleRequests(
  engine: Engine,
  step: Step,
  journal: Journal,
  requests: readonly GroupRequest[],
  upcoming: readonly TaskItem[] = [],
): Promise<KeptGeneration> {
  const { stage } = step;
  const usual = stage.sampling.temperature;
  const asked = requests.map(({ samples, temperatures }) =>
    Array.from({ length: samples }, (_, i) => temperatures?.[i] ?? usual),
  );
  const limits = [...new Set(requests.map(({ turnTokens }) => turnTokens))];
  if (limits.every((limit) => limit === undefined) && asked.flat().every((temperature) => temperature === usual))
    return sampleAt(engine, step, journal, { stage, upcoming }, requests);
  const found = requests.map((): Completion[] => []);
  const temperatures = [...new Set(asked.flat())].sort((a, b) => a - b);
  for (const [temperature, limit] of temperatures.flatMap((at) => limits.map((limit) => [at, limit] as const))) {
    const places = asked.map((own, r) =>
      requests[r].turnTokens === limit ? own.flatMap((other, i) => (other === temperature ? [i] : [])) : [],
    );
    const part = requests.map((request, r): GroupRequest => {
      const { prefixes } = request;
      return {
        ...request,
        samples: places[r].length,
        ...(prefixes && { prefixes: places[r].map((i) => prefixes[i]) }),
      };
    });
    const at = { stage: { ...stage, sampling: { ...stage.sampling, temperature } }, turnTokens: limit };
    const { completions } = await sampleAt(engine, step, journal, at, part);
    completions.forEach((own, r) => {
      own.forEach((completion, k) => {
        found[r][places[r][k]] = temperature === 0 ? sure(completion) : completion;
      });
    });
  }
  return { completions: found, places: undefined };
}

/** A greedy completion: no other could have been sampled. */
function sure(completion: Completion): Completion {
  return { ...completion, logprobs: new Float32Array(completion.tokens.length) };
}

/** How requests are sampled: as a stage says, and how far. */
interface Manner {
  readonly stage: GrpoStageConfig;
  readonly turnTokens?: number | undefined;
  readonly upcoming?: readonly TaskItem[];
}

/** All of them at the stage's temperature. */
async function sampleAt(
  engine: Engine,
  step: Step,
  { state }: Journal,
  { stage, turnTokens, upcoming = [] }: Manner,
  requests: readonly GroupRequest[],
): Promise<KeptGeneration> {
  const firstRollout = state.rolloutsDrawn;
  const samples = requests.map((request) => request.samples);
  state.rolloutsDrawn += samples.reduce((sum, count) => sum + count, 0);
  const items = requests.map(({ item }) => item);
  const key = samplingKey(step.seed, 'rollout');
  const prefixes = requests.map((request) => request.prefixes);
  const prompts = requests.map((request) => request.prompt);
  const wants = wantsOf(step.methods.uses);
  const expertShares = requests.map(({ expertShare = 0 }) => expertShare);
  const fromCopy = isQuantised(stage);
  const asked = { samples, prompts, prefixes, expertShares, firstRollout, turnTokens, fromCopy };
  const settings = { ...asked, sampling: stage.sampling, samplingKey: key, stage, wants };
  const { tokenControls } = step.methods;
  if (tokenControls.length === 0) {
    const next = upcoming.length > 0 && { upcoming: { items: upcoming, samples: stage.batch.numGenerations } };
    return sampleKept(engine, items, { ...settings, ...next }, stage.staleness === undefined && !fromCopy);
  }
  const acts = controlActs(step);
  const after: CompletionControl['after'] = (tokens, item) => {
    for (const { id, part } of tokenControls) {
      const next = part.after?.(tokens, item, partial(engine, id, tokens, item));
      if (next === undefined) continue;
      acts.count(id);
      return next === 'stop' ? next : requireTokens(id, next, engine.tasks.codec.vocabSize);
    }
    return undefined;
  };
  const atEnd: CompletionControl['atEnd'] = (tokens, item) => {
    for (const { id, part } of tokenControls) {
      const instead = part.atEnd?.(tokens, item, partial(engine, id, tokens, item));
      if (instead === undefined) continue;
      acts.count(id);
      return requireTokens(id, instead, engine.tasks.codec.vocabSize);
    }
    return undefined;
  };
  const factor = temperatureFactor(step);
  const temperature = factor && ((place: number) => factor(place) * stage.sampling.temperature);
  const completions = await sampleControlled(engine, items, settings, {
    after,
    atEnd,
    ...(temperature && { temperature }),
    ...narrowing(engine, step),
  });
  acts.log(completions.flat().length);
  return { completions, places: undefined };
}

/** Which tokens may come, where not all of them may. */
function narrowing(
  { tasks: { codec } }: Engine,
  { methods }: Step,
): Pick<CompletionControl, 'allowed' | 'isTruncated'> {
  const allowing = methods.tokenControls.filter(({ part }) => part.allowed !== undefined);
  const isTruncated = methods.tokenControls.some(({ part }) => part.isTruncated);
  const vocabulary = writtenVocabulary(codec);
  const allowed: CompletionControl['allowed'] = (tokens) => {
    const masks = allowing.flatMap(({ part }) => part.allowed?.(tokens, vocabulary) ?? []);
    const [first, ...others] = masks;
    if (first === undefined || others.length === 0) return first && bitsOf(first);
    return supportOf(codec.vocabSize, (token) => masks.every((mask) => mask[token] !== 0));
  };
  return { ...(allowing.length > 0 && { allowed }), isTruncated };
}

const BITS = new WeakMap<Uint8Array, Uint8Array>();

/** As a support has it; a mask that comes again is turned once. */
function bitsOf(mask: Uint8Array): Uint8Array {
  const known = BITS.get(mask) ?? supportOf(mask.length, (token) => mask[token] !== 0);
  BITS.set(mask, known);
  return known;
}

/** How often token controls end completions of a step or put something into them, for each that is sampled in any round. */
class ControlActs {
  readonly #step: Step;
  readonly #acts = new Map<string, number>();
  #completions = 0;

  constructor(step: Step) {
    this.#step = step;
    for (const { id, part } of step.methods.tokenControls) if (part.after ?? part.atEnd) this.#acts.set(id, 0);
  }

  count(id: string): void {
    this.#acts.set(id, (this.#acts.get(id) ?? 0) + 1);
  }

  log(completions: number): void {
    this.#completions += completions;
    for (const [id, acts] of this.#acts) this.#step.context(id).metric('acted', acts / Math.max(1, this.#completions));
  }
}

const ACTS = new WeakMap<Step, ControlActs>();

function controlActs(step: Step): ControlActs {
  const known = ACTS.get(step) ?? new ControlActs(step);
  ACTS.set(step, known);
  return known;
}

/** By how much the temperature is another one at each place; undefined where no control of the stage changes it. */
export function temperatureFactor(step: Step): ((place: number) => number) | undefined {
  const changing = step.methods.tokenControls.filter(({ part }) => part.temperature !== undefined);
  if (changing.length === 0) return undefined;
  const contexts = changing.map(({ id }) => step.context(id));
  const known: number[] = [];
  return (place) => {
    known[place] ??= changing.reduce((product, { id, part }, i) => {
      const factor = part.temperature?.(place, contexts[i]) ?? 1;
      return product * requireFactor(id, factor);
    }, 1);
    return known[place];
  };
}

/** @throws PluginError */
function requireFactor(id: string, factor: number): number {
  if (Number.isFinite(factor) && factor > 0) return factor;
  const message = `method "${id}": temperature gave ${JSON.stringify(factor)} — give a factor above 0.`;
  throw new PluginError('method-failed', message, { id });
}

/** @param id  of the control that looks at it */
function partial({ tasks }: Engine, id: string, tokens: Int32Array, item: TaskItem): PartialCompletion {
  const text = (): string => completionText(tasks, { tokens, finishReason: 'stop' });
  const tokensOf = (written: string): Int32Array => tasks.codec.encode(written);
  const verify = () => tasks.verify(item, text(), { finishReason: 'stop' });
  return { text, tokensOf, verdict: () => atOnce(`method "${id}"`, verify) };
}

/** An id beyond the vocabulary would be read from memory that is not its own. @throws PluginError */
function requireTokens(id: string, tokens: readonly number[], vocabSize: number): readonly number[] {
  const isToken = (token: unknown): boolean =>
    Number.isInteger(token) && Number(token) >= 0 && Number(token) < vocabSize;
  const wrong = Array.isArray(tokens) ? tokens.find((token) => !isToken(token)) : tokens;
  if (wrong === undefined) return tokens;
  const rule = `'stop', or a list of token ids from 0 to ${vocabSize - 1}`;
  throw new PluginError('method-failed', `method "${id}": after gave ${JSON.stringify(wrong)} — give ${rule}.`, { id });
}

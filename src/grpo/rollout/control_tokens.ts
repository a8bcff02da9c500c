/** Combines the token controls of a stage, which read each sampled token and decide how the completion continues. */
import { atOnce } from '../../data/judging/judged.ts';
import type { TaskItem } from '../../data/task.ts';
import { PluginError } from '../../errors.ts';
import type { PartialCompletion } from '../../methods/points.ts';
import { writtenVocabulary } from '../../methods/support/patterns/written_vocabulary.ts';
import { supportOf } from '../../model/support.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';
import { type CompletionControl, completionText } from './complete.ts';

/** @returns undefined if the stage has none, so that the engine samples whole completions by itself */
export function tokenControl(
  engine: Engine,
  step: Step,
  usual: number,
): { readonly control: CompletionControl; readonly acts: ControlActs } | undefined {
  const { tokenControls } = step.methods;
  if (tokenControls.length === 0) return undefined;
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
  const temperature = factor && ((place: number) => factor(place) * usual);
  return { control: { after, atEnd, ...(temperature && { temperature }), ...narrowing(engine, step) }, acts };
}

/** Which tokens may follow, if not all. */
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

/** Packs a mask into bits; a mask that is used again is packed once. */
function bitsOf(mask: Uint8Array): Uint8Array {
  const bits = BITS.get(mask) ?? supportOf(mask.length, (token) => mask[token] !== 0);
  BITS.set(mask, bits);
  return bits;
}

/** Counts how often token controls end or extend completions of a step, per completion sampled in any round. */
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
  const acts = ACTS.get(step) ?? new ControlActs(step);
  ACTS.set(step, acts);
  return acts;
}

/** Temperature multiplier by position; undefined where no control of the stage changes the temperature. */
export function temperatureFactor(step: Step): ((place: number) => number) | undefined {
  const changing = step.methods.tokenControls.filter(({ part }) => part.temperature !== undefined);
  if (changing.length === 0) return undefined;
  const contexts = changing.map(({ id }) => step.context(id));
  const factors: number[] = [];
  return (place) => {
    factors[place] ??= changing.reduce((product, { id, part }, i) => {
      const factor = part.temperature?.(place, contexts[i]) ?? 1;
      return product * requireFactor(id, factor);
    }, 1);
    return factors[place];
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

/** An id beyond the vocabulary would read foreign memory. @throws PluginError */
function requireTokens(id: string, tokens: readonly number[], vocabSize: number): readonly number[] {
  const isToken = (token: unknown): boolean =>
    Number.isInteger(token) && Number(token) >= 0 && Number(token) < vocabSize;
  const wrong = Array.isArray(tokens) ? tokens.find((token) => !isToken(token)) : tokens;
  if (wrong === undefined) return tokens;
  const rule = `'stop', or a list of token ids from 0 to ${vocabSize - 1}`;
  throw new PluginError('method-failed', `method "${id}": after gave ${JSON.stringify(wrong)} — give ${rule}.`, { id });
}

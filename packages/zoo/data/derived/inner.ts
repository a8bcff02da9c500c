/**
 * The task that another one is made of, in pieces: the tokens of its closed vocabulary, characters or words. What is added to
 * it, marks and labels, are pieces that it does not have itself.
 */
import { takeKnobs } from '../../../../src/data/knobs.ts';
import { drawIdentity } from '../../../../src/data/split.ts';
import type { AnyTaskDefinition, Knobs } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { remembered } from '../remembered.ts';
import type { OfTask } from './of_knob.ts';

/** A problem of the inner task with a right answer. */
export interface InnerProblem {
  readonly identity: Json;
  readonly prompt: readonly string[];
  readonly answer: readonly string[];
  /** Every piece that the inner task's texts are made of. */
  readonly alphabet: readonly string[];
  /** Whether these pieces are a right answer. */
  isRight(answer: readonly string[]): boolean;
  /** Right answers that the task lists, that one first. */
  answers(): Iterable<readonly string[]>;
}

/** Beside the knobs of a task: what says how it is asked. */
const ABOUT_ASKING = ['style', 'examples', 'system'];

const DIGITS = '0123456789'.split('');
const MARKS = [...'|/\\~#@$'];
const GAPS = [...'_?.*^&'];
const LABELS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** A loaded task with its knobs. */
export class Inner {
  readonly name: string;
  readonly definition: AnyTaskDefinition;
  readonly knobs: Knobs;
  readonly alphabet: readonly string[];
  readonly pieces: 'characters' | 'words';
  /** Between two parts of a text. */
  readonly separator: string;
  /** What hides a piece. */
  readonly gap: string;
  readonly #free: readonly string[];
  readonly #written: ReadonlySet<string>;
  readonly #remembered = remembered((identity: object) => this.#problem(identity as Json));

  /** @throws ConfigError where it cannot be taken to pieces */
  constructor(definition: AnyTaskDefinition, { task, ...given }: OfTask) {
    const about = ABOUT_ASKING.find((key) => key in given && !(key in definition.knobs));
    if (about !== undefined) {
      throw refused(task, `${about} says how a problem is asked; write it beside of, where it is about the whole task`);
    }
    this.name = task;
    this.definition = definition;
    this.knobs = takeKnobs(definition, given, 'task.of');
    const { closed } = definition.tokenizer(this.knobs);
    if (closed === undefined)
      throw refused(task, 'its vocabulary is of its own kind; use a task of characters or words');
    this.alphabet = closed.tokens;
    this.pieces = closed.pieces;
    this.#written = new Set(closed.tokens);
    const isFree = (piece: string): boolean => !this.#written.has(piece);
    const [separator] = MARKS.filter(isFree);
    const [gap] = GAPS.filter(isFree);
    this.#free = LABELS.filter(isFree);
    if (separator === undefined || gap === undefined)
      throw refused(task, 'its vocabulary leaves no mark free; use another');
    this.separator = separator;
    this.gap = gap;
  }

  /** Letters that the task does not have. @throws ConfigError where it has too many */
  labels(count: number): readonly string[] {
    if (this.#free.length < count)
      throw refused(this.name, `its vocabulary leaves fewer than ${count} letters free; use another`);
    return this.#free.slice(0, count);
  }

  split(text: string): string[] {
    if (text === '') return [];
    return text.split(this.pieces === 'words' ? ' ' : '');
  }

  join(pieces: readonly string[]): string {
    return pieces.join(this.pieces === 'words' ? ' ' : '');
  }

  /** A place among several, from 1, as pieces. */
  number(place: number): string[] {
    return this.pieces === 'words' ? [String(place)] : String(place).split('');
  }

  /** Every piece that places up to this one are made of. */
  numbers(most: number): string[] {
    return this.pieces === 'words' ? Array.from({ length: most }, (_, i) => String(i + 1)) : DIGITS;
  }

  limits(): { readonly prompt: number; readonly answer: number } {
    const { promptTokens, completionTokens } = this.definition.limits(this.knobs);
    return { prompt: promptTokens, answer: completionTokens };
  }

  draw(rng: Rng): InnerProblem | null {
    const identity = drawIdentity(this.definition, this.knobs, rng);
    return identity === null ? null : this.problem(identity);
  }

  /** The problem of an identity, taken to pieces once while that is there: it is asked for its prompt and by each verdict. */
  problem(identity: Json): InnerProblem {
    return typeof identity === 'object' && identity !== null ? this.#remembered(identity) : this.#problem(identity);
  }

  #problem(identity: Json): InnerProblem {
    const { definition, knobs, alphabet } = this;
    const answer = this.split(definition.oracle(identity, knobs));
    const split = (text: string): string[] => this.split(text);
    return {
      identity,
      prompt: this.split(definition.prompt(identity, knobs)),
      answer,
      alphabet,
      isRight: (pieces) => {
        const isWritten = pieces.every((piece) => this.#written.has(piece));
        return isWritten && definition.verify(identity, this.join(pieces), knobs, { finishReason: 'eos' }).score === 1;
      },
      *answers() {
        yield answer;
        for (const text of definition.solutions?.(identity, knobs) ?? []) yield split(text);
      },
    };
  }
}

/** Pieces of the same kind as one: numbers for a number, letters for a letter, and signs for a sign. */
export function alike(piece: string, alphabet: readonly string[]): string[] {
  const kind = kindOf(piece);
  return alphabet.filter((other) => other !== piece && kindOf(other) === kind);
}

function kindOf(piece: string): string {
  if (/^[0-9]+$/.test(piece)) return 'number';
  return /^[A-Za-z]+$/.test(piece) ? 'letters' : 'sign';
}

/** Several places of a list, in order. */
export function drawPlaces(rng: Rng, length: number, count: number): number[] {
  const places = rng.shuffle(Array.from({ length }, (_, i) => i)).slice(0, count);
  return places.sort((a, b) => a - b);
}

/** A list with another piece at a place. */
export function replaced(pieces: readonly string[], place: number, piece: string): string[] {
  return pieces.map((own, i) => (i === place ? piece : own));
}

/** Whether another piece at a place makes the answer right: as many verdicts as there are pieces, at the first time of asking. */
export function isMendedAt({ alphabet, isRight }: InnerProblem, shown: readonly string[], place: number): boolean {
  const places = mendedPlaces(shown);
  const known = places.get(place);
  if (known !== undefined) return known;
  const isMended = alphabet.some((piece) => piece !== shown[place] && isRight(replaced(shown, place, piece)));
  places.set(place, isMended);
  return isMended;
}

const mendedPlaces = remembered((_shown: readonly string[]) => new Map<number, boolean>());

/** The answer with one piece of its kind replaced so that it is wrong; undefined where draws find none. */
export function corrupted(
  { answer, alphabet, isRight }: InnerProblem,
  rng: Rng,
): { readonly shown: string[]; readonly place: number } | undefined {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const place = rng.int(0, answer.length - 1);
    const others = alike(answer[place], alphabet);
    if (others.length === 0) continue;
    const shown = replaced(answer, place, rng.pick(others));
    if (!isRight(shown)) return { shown, place };
  }
  return undefined;
}

const MOST_DRAWS = 20;

function refused(task: string, rule: string): ConfigError {
  return new ConfigError('bad-option', `task.of: ${JSON.stringify(task)} — ${rule}.`, { path: 'task.of', task });
}

/** What the parts of a tokenizer.json have in common. */
import { DataError } from '../../../../src/errors.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What a text becomes before it is split. */
export type Normalizer = (text: string) => string;

/** The tokens that a model has. */
export interface Vocabulary {
  tokenOf(id: number): string | undefined;
  idOf(token: string): number | undefined;
  ids(): Iterable<number>;
  /** Number of tokens. */
  readonly size: number;
}

export interface Model extends Vocabulary {
  /** Ids of a piece; none where it is unknown and no token says so. */
  tokensOf(piece: string): readonly number[];
}

/** A part that must be there. @throws Error */
export function requireKind(name: string, part: unknown): Json {
  if (typeof part === 'object' && part !== null && !Array.isArray(part)) return part as Json;
  throw new Error(`it has no ${name}`);
}

export function listOf<T = Json>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

/** What makes a part, by its `type`. @throws Error that names a type which is not known */
export function partOf<T>(name: string, part: Json, makers: Readonly<Record<string, (part: Json) => T>>): T {
  const type = String(part.type);
  if (Object.hasOwn(makers, type)) return makers[type](part);
  throw new Error(`${name} ${type} is not known; ${Object.keys(makers).join(', ')} are`);
}

/** A text that cannot be encoded. */
export function noToken(text: string, why: string): DataError {
  const remedy = 'take the tokenizer of a language model, which has a token for every text';
  return new DataError('no-token', `tokenizer.json: ${JSON.stringify(text)} has no token, and ${why}; ${remedy}.`);
}

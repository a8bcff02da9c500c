/** Reads the JSON object that a program sends: every key by its type and range, and none that is not known. */
import { nearestKey } from '../../src/options/nearest_name.ts';
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import { ApiError } from './api_error.ts';

interface Range {
  readonly min: number;
  readonly max?: number;
}

/** Most characters of a value that a message shows. */
const SHOWN = 60;

export class Body {
  readonly #object: JsonObject;
  readonly #read = new Set<string>();

  constructor(object: JsonObject) {
    this.#object = object;
  }

  /** The value as it was sent; null, as clients send what they do not set, is absent. */
  value(key: string): JsonValue | undefined {
    this.#read.add(key);
    return this.#object[key] ?? undefined;
  }

  /** Keys that mean nothing here, and change nothing. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  number(key: string, { min, max = Number.POSITIVE_INFINITY }: Range): number | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw this.refused(key, max === Number.POSITIVE_INFINITY ? `a number of ${min} or more` : `from ${min} to ${max}`);
  }

  integer(key: string, range: Range): number | undefined {
    const value = this.number(key, range);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw this.refused(key, 'a whole number');
  }

  boolean(key: string): boolean | undefined {
    const value = this.value(key);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.refused(key, 'true or false');
  }

  text(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.refused(key, 'a text');
  }

  object(key: string): JsonObject | undefined {
    const value = this.value(key);
    if (value === undefined || isObject(value)) return value;
    throw this.refused(key, 'an object');
  }

  objects(key: string): readonly JsonObject[] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isObject)) return value;
    throw this.refused(key, 'a list of objects');
  }

  /** Token ids. @param vocabulary  they are below it */
  ids(key: string, vocabulary: number): readonly number[] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (areIds(value, vocabulary)) return value;
    throw this.refused(key, `a list of token ids below ${vocabulary}`);
  }

  refused(key: string, rule: string): ApiError {
    if (this.#object[key] === undefined) return new ApiError(400, 'missing', `${key} — missing: ${rule}.`, key);
    const shown = JSON.stringify(this.#object[key]);
    const seen = shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown;
    return new ApiError(400, 'invalid_value', `${key}: ${seen} — must be ${rule}.`, key);
  }

  /** @throws ApiError where the object has a key that was not asked for */
  end(): void {
    const unknown = Object.keys(this.#object).find((key) => this.#object[key] !== null && !this.#read.has(key));
    if (unknown === undefined) return;
    const nearest = nearestKey(unknown, [...this.#read]);
    const remedy = nearest === undefined ? 'leave it out' : `did you mean ${nearest}?`;
    throw new ApiError(400, 'unknown_parameter', `${unknown} — not known here; ${remedy}`, unknown);
  }
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function areIds(value: JsonValue, vocabulary: number): value is readonly number[] {
  return Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0 && id < vocabulary);
}

/**
 * JSON as the run directory uses it: typed, and never losing a number silently.
 *
 * JSON has no NaN and no infinities, and JSON.stringify writes them as null. A log must show them
 * (`encodeLogJson` writes strings); a checkpoint must not depend on them (`encodeStrictJson` refuses).
 */
import { CheckpointError } from '../errors.ts';

/** Any JSON value. Interfaces do not fit it, type aliases do: declare state with `type`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** JSON with NaN, Infinity and −Infinity as the strings "NaN", "Infinity", "-Infinity"; on one line. */
export function encodeLogJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'number' && !Number.isFinite(item) ? String(item) : item,
  );
}

/**
 * JSON that reads back as the same value. Numbers keep every bit, but −0 becomes 0: floats whose sign of zero
 * matters belong in a tensor.
 *
 * @throws CheckpointError `state-not-json` for a number that is not finite, or a value that JSON has no word for
 */
export function encodeStrictJson(value: JsonValue): string {
  return JSON.stringify(value, (key, item: unknown) => {
    if (isJsonItem(item)) return item;
    const shown = typeof item === 'object' ? Object.prototype.toString.call(item) : String(item);
    const message = `Checkpoint state: "${key}" is ${shown}, which JSON cannot hold; save it as a tensor or a string.`;
    throw new CheckpointError('state-not-json', message, { key, value: shown });
  });
}

/** JSON with the keys of every object sorted, so that equal values have equal text; for hashing. */
export function encodeCanonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, item: JsonValue) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parsed JSON when `bytes` are UTF-8 JSON text of an object, else undefined. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Containers are looked into by the caller; typed arrays, maps and sets would pass as objects and lose their content. */
function isJsonItem(item: unknown): boolean {
  if (typeof item === 'number') return Number.isFinite(item);
  if (typeof item === 'object') return !(ArrayBuffer.isView(item) || item instanceof Map || item instanceof Set);
  return typeof item === 'string' || typeof item === 'boolean';
}

/** Problems of a user's task as plain data: what a checkpoint can hold, and nothing can change. */

/** Deeper than any problem; a text of JSON of this depth can still be read everywhere. */
const DEEPEST = 100;

/**
 * Freezes a value and all that is in it, where it is plain data: what JSON gives back as it was.
 *
 * @returns where it is not, what is there: `a Date at .when`; undefined where all of it is plain
 */
export function freezePlain(value: unknown): string | undefined {
  return freezeAt(value, '', []);
}

function freezeAt(value: unknown, place: string, above: readonly object[]): string | undefined {
  const found = (what: string): string => (place === '' ? what : `${what} at ${place}`);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : found(String(value));
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined;
  if (typeof value !== 'object') return found(value === undefined ? 'undefined' : `a ${typeof value}`);
  if (above.includes(value)) return found('itself');
  if (above.length >= DEEPEST) return found(`more than ${DEEPEST} levels`);
  const kind = kindOfObject(value);
  if (kind !== undefined) return found(kind);
  const inner = [...above, value];
  if (Array.isArray(value)) {
    // By index, as a hole of a sparse list is not visited otherwise.
    for (let i = 0; i < value.length; i++) {
      const wrong = freezeAt(value[i], `${place}[${i}]`, inner);
      if (wrong !== undefined) return wrong;
    }
  } else {
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue; // reads the same when JSON has left it out
      const wrong = freezeAt(part, `${place}.${key}`, inner);
      if (wrong !== undefined) return wrong;
    }
  }
  Object.freeze(value);
  return undefined;
}

/** `a Date`: an object that JSON would give back as something else. */
function kindOfObject(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.getOwnPropertySymbols(value).length > 0) return 'an object with symbols for keys';
  // The one of any realm has nothing above it.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  const { name } = value.constructor ?? {};
  return `a ${name === undefined || name === '' ? 'class instance' : name}`;
}

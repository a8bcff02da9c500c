/**
 * Answers of a data set that are JSON, such as what is read out of a letter.
 *
 *   verdict   right where the answer is strict JSON of the same value; the order of fields and the notation of numbers
 *             do not count
 *   parts     fields: |places of both with the same value| / |places of either|, a place being the path to a value that
 *             is no object and no list. So a field left out, one more and a wrong one each lower it.
 */

import { correct, unreadable } from '../../../../src/data/judge.ts';
import { canonicalJSON } from '../../../../src/data/split.ts';
import type { Json } from '../../../../src/options/json.ts';
import { wrongValue } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { readJson } from '../../parsing/json_value.ts';
import type { MakeReader } from './answers.ts';

/** The right answer may be a value of the row, or a text of JSON. */
export const json: MakeReader = (textOf) => ({
  needsNone: false,
  parts: ['fields'],
  read: (given) => {
    if (typeof given !== 'string') return { truth: given };
    const reading = readJson(textOf(given) ?? '');
    return reading.ok ? { truth: reading.value } : { reason: reading.reason };
  },
  shown: (truth) => JSON.stringify(truth),
  judge: judgeJson,
});

function judgeJson(answer: string, truth: Json): Verdict {
  const reading = readJson(answer);
  if (!reading.ok) return unreadable(answer, reading.reason);
  const canonical = canonicalJSON(reading.value);
  if (canonical === canonicalJSON(truth)) return { ...correct('the same record', canonical), parts: { fields: 1 } };
  return {
    ...wrongValue('another record'),
    canonical,
    parts: { fields: sharedPlaces(placesOf(reading.value), placesOf(truth)) },
  };
}

/** Values by their paths; an empty object or list is a value. */
function placesOf(value: Json, path = '', places = new Map<string, string>()): Map<string, string> {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  for (const [name, one] of inner) placesOf(one, `${path}/${JSON.stringify(name)}`, places);
  if (inner.length === 0) places.set(path, canonicalJSON(value));
  return places;
}

function sharedPlaces(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): number {
  const same = [...a].filter(([path, value]) => b.get(path) === value).length;
  return same / new Set([...a.keys(), ...b.keys()]).size;
}

/**
 * Which problems are trained on and which are held out, and the endless stream of training problems.
 *
 * The split is a function of the problem's split key alone: u = first 32 bits of
 * H("split|family|splitVersion|key") / 2^32, train below 0.8, held out from there. So no key is in both,
 * whatever the seed, the index, the knobs or the machine.
 */

import { DataError } from '../errors.ts';
import { murmur3OfText } from '../kernels/murmur3.ts';
import { type Rng, rngFor } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import { makeEach, type Repeat } from './repeat.ts';
import type { Knobs, Split, TaskDefinition } from './task.ts';

/** Part of every split hash: raising it moves every problem. */
export const SPLIT_VERSION = 1;
/** Share of the keys that are trained on. */
export const TRAIN_SHARE = 0.8;
/** Draws for one item before giving up on the generator. */
const MAX_ATTEMPTS = 2000;
/**
 * Failures in a row to find another held-out problem, after which those found count as all: the last ones are seldom
 * drawn.
 */
const MOST_FAILURES = 5;

const digest = new Uint32Array(4);

/** Position in [0, 1) of a key in its family; the split is decided by it. */
export function splitPosition(family: string, splitKey: string): number {
  murmur3OfText(`split|${family}|${SPLIT_VERSION}|${splitKey}`, digest);
  return digest[0] / 4294967296;
}

/** The split of a key in its family: train below `TRAIN_SHARE`. */
export function splitOf(family: string, splitKey: string): Split {
  return splitPosition(family, splitKey) < TRAIN_SHARE ? 'train' : 'eval';
}

/** A task's generator with everything fixed that its random streams depend on. */
export interface ProblemSource {
  readonly definition: TaskDefinition<Json, Knobs>;
  readonly knobs: Knobs;
  /** Canonical JSON of the knobs: a custom knob set has its own stream. */
  readonly levelId: string;
  readonly repeat: Repeat;
}

/** JSON with sorted keys: equal texts for equal values. */
export function canonicalJSON(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(',')}]`;
  const record = value as { readonly [key: string]: Json }; // arrays and null were handled above
  const entries = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJSON(record[key])}`);
  return `{${entries.join(',')}}`;
}

/** Split of a problem, by its split key, if the task has one, else by its key. */
export function splitOfProblem(definition: TaskDefinition<Json, Knobs>, identity: Json): Split {
  return splitOf(definition.family, definition.splitKey?.(identity) ?? definition.key(identity));
}

/** Stream of one draw: a pure function of everything in its name. */
function attemptRng(source: ProblemSource, split: Split, seed: number, index: number, attempt: number): Rng {
  const { family, name, version } = source.definition;
  return rngFor(`${family}|${name}|${version}|${source.levelId}|${split}|${seed}|${index}|${attempt}`);
}

/** One draw from either split; null if it gives no problem, or an unfit one. */
export function drawIdentity(definition: TaskDefinition<Json, Knobs>, knobs: Knobs, rng: Rng): Json | null {
  const identity = definition.generate(rng, knobs);
  return identity === null || definition.isFit?.(identity, knobs) === false ? null : identity;
}

/** A problem with its key, which its draw had to compute. */
export interface KeyedProblem {
  readonly identity: Json;
  readonly key: string;
}

interface DrawPlace {
  readonly split: Split;
  readonly seed: number;
  readonly index: number;
}

/**
 * Problem `index` of a split under `seed`: the first attempt that falls in the split.
 *
 * @throws DataError after MAX_ATTEMPTS draws, naming task, knobs and the number of keys that it saw
 */
export function drawProblem(source: ProblemSource, place: DrawPlace): KeyedProblem {
  const drawn = attemptProblem(source, place, () => true);
  if (drawn === undefined) throw exhausted(source, place);
  return drawn;
}

/** @param accept  a further condition on the key, such as "not drawn before" */
function attemptProblem(
  source: ProblemSource,
  place: DrawPlace,
  accept: (key: string) => boolean,
): KeyedProblem | undefined {
  const { definition } = source;
  const knobs = knobsOf(source, place.split);
  let problem: KeyedProblem | undefined;
  source.repeat(MAX_ATTEMPTS, (attempt) => {
    const rng = attemptRng(source, place.split, place.seed, place.index, attempt);
    const identity = definition.generate(rng, knobs);
    if (identity === null) return false;
    const splitKey = definition.splitKey?.(identity);
    const ownKey = splitKey === undefined ? definition.key(identity) : undefined;
    if (splitOf(definition.family, splitKey ?? (ownKey as string)) !== place.split) return false; // it has one of them
    const key = ownKey ?? definition.key(identity);
    if (!accept(key) || definition.isFit?.(identity, knobs) === false) return false;
    problem = { identity, key };
    return true;
  });
  return problem;
}

/** Training problems may come from a wider space than those that are held out for evaluation. */
function knobsOf({ definition, knobs }: ProblemSource, split: Split): Knobs {
  return split === 'train' ? (definition.trainKnobs?.(knobs) ?? knobs) : knobs;
}

/** Chao's lower bound on the number of keys, from a fresh look at the draws that failed. */
function exhausted(source: ProblemSource, place: DrawPlace): DataError {
  const seen = new Map<string, number>();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const rng = attemptRng(source, place.split, place.seed, place.index, attempt);
    const identity = drawIdentity(source.definition, knobsOf(source, place.split), rng);
    if (identity === null) continue;
    const key = source.definition.key(identity);
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const counts = [...seen.values()];
  const once = counts.filter((count) => count === 1).length;
  const twice = counts.filter((count) => count === 2).length;
  const estimatedKeys = Math.round(seen.size + (once * once) / (2 * Math.max(twice, 1)));
  const message =
    `task "${source.definition.name}" with ${source.levelId} — no ${place.split} problem in ${MAX_ATTEMPTS} draws ` +
    `(item ${place.index}, seed ${place.seed}; about ${estimatedKeys} keys exist); widen the task's knobs, or list a small space by enumerate.`;
  return new DataError('space-exhausted', message, { task: source.definition.name, estimatedKeys, ...place });
}

/** The split of each of these problems. */
function splitsOf({ definition, repeat }: ProblemSource, all: readonly Json[]): Split[] {
  return makeEach(repeat, all.length, (i) => splitOfProblem(definition, all[i]));
}

/** Problems that can be trained on; undefined where the task cannot list its problems. */
export function countTrainProblems(source: ProblemSource): number | undefined {
  const { definition, knobs } = source;
  const all = definition.enumerate?.(knobs);
  if (all === undefined) return undefined;
  return splitsOf(source, [...all]).filter((split) => split === 'train').length;
}

/**
 * The held-out problems in a fixed random order: all of them, each weighted by how often the task asks it, where the
 * task can list its problems; else `sampleSize` unique draws, which come as often as they are asked and weigh the same.
 * Where draws find no further one, those that were found are all that there are.
 *
 * @throws DataError if there is none
 */
export function heldOutProblems(
  source: ProblemSource,
  sampleSize: number,
): (KeyedProblem & { readonly weight: number })[] {
  const { definition, knobs } = source;
  const weighted = (problem: KeyedProblem) => ({
    ...problem,
    weight: definition.frequency?.(problem.identity, knobs) ?? 1,
  });
  const first: DrawPlace = { split: 'eval', seed: 0, index: 0 };
  const all = definition.enumerate?.(knobs);
  if (all !== undefined) {
    const listed = [...all];
    const splits = splitsOf(source, listed);
    const heldOut = listed.filter((_, i) => splits[i] === 'eval');
    if (heldOut.length === 0) throw exhausted(source, first);
    const ordered = rngFor(`held-out order|${definition.family}|${SPLIT_VERSION}`).shuffle(heldOut);
    return makeEach(source.repeat, ordered.length, (i) => {
      return weighted({ identity: ordered[i], key: definition.key(ordered[i]) });
    });
  }
  const drawn = new Map<string, KeyedProblem>();
  let failed = 0;
  for (let index = 0; drawn.size < sampleSize && failed < MOST_FAILURES; index++) {
    const problem = attemptProblem(source, { ...first, index }, (key) => !drawn.has(key));
    failed = problem === undefined ? failed + 1 : 0;
    if (problem !== undefined) drawn.set(problem.key, problem);
  }
  if (drawn.size === 0) throw exhausted(source, first);
  const problems = [...drawn.values()];
  return problems.length < sampleSize ? problems.map(weighted) : problems.map((problem) => ({ ...problem, weight: 1 }));
}

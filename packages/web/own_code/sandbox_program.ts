/**
 * What runs first in the worker of a visitor's code, before any of it: it takes the world away, then has the code read as
 * a script of its own, and calls what it declares: the `reward` of a reward; `generate`, `prompt`, `oracle` and `verify`
 * of a task.
 *
 * The function below is written into the worker as text, so it refers to nothing but its arguments and the language. It
 * is no part of the visitor's scope: none of its names can be seen from there. Whatever it needs once their code ran, it
 * has taken before, since they may replace every method that an object inherits.
 */
import type { RewardBatch } from '../../../src/rewards/reward_function.ts';
import type { Envelope, SandboxReply } from '../../zoo/rewards/sandbox/sandbox.ts';

/** What the visitor's function is called with, for one completion. */
export interface OwnRewardRow {
  readonly prompt: string;
  readonly completion: string;
  /** One correct answer of perhaps several. */
  readonly answer: string;
  /** Tokens of the completion. */
  readonly length: number;
  /** What the strict verifier says: its score, reason and sub-scores. */
  readonly verdict: RewardBatch['verdicts'][number];
}

/** What a reward logged of a batch, in its order: a column has the place of its completion, a metric has none. */
export type OwnLogs = readonly (readonly [place: number | null, name: unknown, value: unknown])[];

/** An answer to a problem of a visitor's task. */
export interface OwnAnswer {
  readonly problem: unknown;
  readonly answer: string;
}

/** Four words that begin the random numbers of one draw. */
export type DrawSeed = readonly [number, number, number, number];

/**
 * What the worker is sent: the code first, with the functions that it has to declare, then one batch after the other.
 * Values of rows: one number each, with `OwnLogs`. Of draws: [problem as JSON, prompt, a right answer], or null where nothing was drawn.
 * Of answers: a score, or [score, reason].
 */
export type SandboxQuestion =
  | { readonly code: string; readonly declares: 'reward' | 'task' }
  | { readonly rows: readonly OwnRewardRow[] }
  | { readonly draws: readonly DrawSeed[] }
  | { readonly answers: readonly OwnAnswer[] };

/** The worker's source. @param globals  names that the visitor's code keeps */
export function sandboxSource(globals: readonly string[]): string {
  return `'use strict';(${runSandbox.toString()})(${JSON.stringify(globals)});`;
}

/** The parts of a worker that the program uses; TypeScript knows those of a page. */
interface Scope {
  readonly origin: string;
  readonly importScripts: (url: string) => void;
  readonly eval: (text: string) => unknown;
  readonly URL: typeof URL;
  readonly Blob: typeof Blob;
  readonly postMessage: (message: undefined) => void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void, options: { readonly once: true }): void;
}

// Functions of the visitor's script, where it declares them.
declare const reward: unknown;
declare const generate: unknown;
declare const prompt: unknown;
declare const oracle: unknown;
declare const verify: unknown;

type Call = (first: unknown, second: unknown) => unknown;

function runSandbox(globals: readonly string[]): void {
  const scope = globalThis as unknown as Scope;
  const {
    freeze,
    isFrozen,
    values: valuesOf,
    getPrototypeOf,
    getOwnPropertyDescriptor,
    defineProperty,
    hasOwn,
  } = Object;
  const { ownKeys, deleteProperty } = Reflect;
  const { isView } = ArrayBuffer;
  const { createObjectURL } = scope.URL;
  const ScriptBlob = scope.Blob;
  const importScript = scope.importScripts.bind(scope);
  const report = scope.postMessage.bind(scope);
  const begin: (text: string, from: number, to: number) => string = Function.prototype.call.bind(
    String.prototype.slice,
  ) as never;
  const List = Array;
  // Without a prototype: `get` may have become a field that every object has.
  const element: PropertyDescriptor = Object.assign(Object.create(null), {
    enumerable: true,
    configurable: true,
    writable: true,
    value: null,
  });
  const exec: (pattern: RegExp, text: string) => readonly string[] | null = Function.prototype.call.bind(
    RegExp.prototype.exec,
  ) as never;
  const { stringify, parse } = JSON;
  const Range = RangeError;
  const longestText = 300;
  /** Characters of a problem, a prompt or an answer: the reader refuses more. */
  const longestProblem = 2000;
  /** Calls of logExtra and logMetric for a completion: all of them are copied into the engine's thread. */
  const logsEach = 100;
  const words = 4294967296;
  let post: (message: Envelope<SandboxReply>) => void;
  /** What was declared, once the code was read. */
  let calls: { readonly [name: string]: Call } | undefined;
  /** Which of it is called. */
  let part = '';

  const read = ({ code, declares }: { readonly code: string; readonly declares: string }): SandboxReply => {
    // A script of its own: no bracket of theirs closes one of ours.
    const url = createObjectURL(new ScriptBlob([`"use strict";${code}\n`], { type: 'text/javascript' }));
    try {
      importScript(url);
      const missing = declares === 'task' ? missingOfTask() : typeof reward === 'function' ? '' : 'reward';
      if (missing !== '') return { type: 'refused', rule: `declares no function ${missing}; declare one` };
      calls = (declares === 'task' ? { generate, prompt, oracle, verify } : { reward }) as typeof calls;
      return { type: 'ready' };
    } catch (error) {
      return { type: 'refused', rule: `failed while it was read: ${described(error)}; correct it` };
    }
  };

  const missingOfTask = (): string => {
    if (typeof generate !== 'function') return 'generate';
    if (typeof prompt !== 'function') return 'prompt';
    if (typeof oracle !== 'function') return 'oracle';
    return typeof verify === 'function' ? '' : 'verify';
  };

  /** With each argument by itself: a list would be spread by an iterator that they may have replaced. */
  const call = (name: string, first: unknown, second?: unknown): unknown => {
    part = name;
    return calls?.[name]?.(first, second);
  };

  const each = <T>(list: readonly T[], value: (one: T) => unknown): SandboxReply => {
    const values: unknown[] = new List(list.length);
    try {
      for (let i = 0; i < list.length; i++) {
        element.value = value(list[i] as T);
        defineProperty(values, i, element); // an assignment would call a setter that lists have come to inherit
      }
      return { type: 'scores', values };
    } catch (error) {
      return { type: 'threw', thrown: part === 'reward' ? described(error) : `${part}: ${described(error)}` };
    }
  };

  /** A problem as plain data and as texts. What it does to the problem in `prompt` it does to a copy. */
  const drawn = (seed: DrawSeed): unknown => {
    const problem = call('generate', randomOf(seed));
    if (problem === null) return null;
    const json = stringify(problem);
    if (typeof json !== 'string') return 'no plain data';
    const copy = frozenRow(parse(json) as unknown);
    return [text(json), text(call('prompt', copy)), text(call('oracle', copy))];
  };

  const text = (value: unknown): unknown => (typeof value === 'string' ? begin(value, 0, longestProblem) : told(value));

  const judged = ({ problem, answer }: OwnAnswer): unknown => {
    const value = call('verify', frozenRow(problem), answer);
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value !== 'object' || value === null) return told(value);
    const { score, reason } = value as { readonly score?: unknown; readonly reason?: unknown };
    return [typeof score === 'boolean' ? (score ? 1 : 0) : told(score), told(reason)];
  };

  /** The random numbers of a draw, by the names that `Rng` of rlvr-train/tasks has: sfc32 of four words. */
  const randomOf = (seed: DrawSeed): unknown => {
    let a = seed[0] | 0;
    let b = seed[1] | 0;
    let c = seed[2] | 0;
    let d = seed[3] | 0;
    const word = (): number => {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + sum) | 0;
      return sum >>> 0;
    };
    for (let i = 0; i < 12; i++) word();
    const int = (low: number, high: number): number => {
      const range = high - low + 1;
      if (!(range >= 1 && range <= words)) throw new Range(`rng.int(${low}, ${high}): the range holds no whole number`);
      const limit = words - (words % range);
      let drawnWord = word();
      while (drawnWord >= limit) drawnWord = word();
      return low + (drawnWord % range);
    };
    return freeze({
      int,
      float: () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992,
      pick: <T>(list: readonly T[]) => list[int(0, list.length - 1)],
      shuffle: <T>(list: T[]) => {
        for (let last = list.length - 1; last > 0; last--) {
          const other = int(0, last);
          const moved = list[last] as T;
          list[last] = list[other] as T;
          list[other] = moved;
        }
        return list;
      },
    });
  };

  const frozenRow = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null || isView(value) || isFrozen(value)) return value;
    freeze(value);
    const parts = valuesOf(value);
    for (let i = 0; i < parts.length; i++) frozenRow(parts[i]);
    return value;
  };

  /** A value as it may be posted: what is no number only has to be recognized for what it is. */
  const told = (value: unknown): unknown => {
    if (typeof value === 'string') return begin(value, 0, longestText);
    if (typeof value === 'object' && value !== null) return {};
    return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : value;
  };

  /** `TypeError: x is not a function`. What was thrown may be anything, and its fields may be code. */
  const described = (error: unknown): string => {
    try {
      if (typeof error !== 'object' || error === null) return begin(`${error as string}`, 0, longestText);
      const { name, message, stack } = error as Error;
      const place = typeof stack === 'string' ? exec(/blob:[^\s)]*:(\d+):\d+/, stack) : null;
      return `${begin(`${name}: ${message}`, 0, longestText)}${place === null ? '' : ` (line ${place[1]})`}`;
    } catch {
      return 'something was thrown that cannot be shown';
    }
  };

  /** Why this worker must not run a visitor's code; undefined where it may. */
  const fault = (): string | undefined => {
    if (scope.origin !== 'null') return 'it has the origin of the page';
    try {
      scope.eval('');
      return 'no Content-Security-Policy is in force in it';
    } catch {
      return undefined; // as it should be
    }
  };

  const lockDown = (): string | undefined => {
    const kept = new Set<PropertyKey>(globals);
    const left: string[] = [];
    for (let at: object | null = scope; at !== null && at !== Object.prototype; at = getPrototypeOf(at) as object) {
      for (const name of ownKeys(at)) {
        if ((at === scope && kept.has(name)) || deleteProperty(at, name)) continue;
        // A number that stays, such as TEMPORARY of Chromium's, leads nowhere.
        const value: unknown = getOwnPropertyDescriptor(at, name)?.value ?? at;
        if (typeof value === 'object' || typeof value === 'function') left.push(String(name));
      }
    }
    // Every function inherits the maker of functions from texts. The policy refuses texts too.
    for (const made of [() => {}, async () => {}, function* () {}, async function* () {}]) {
      defineProperty(getPrototypeOf(made), 'constructor', { value: undefined, writable: false, configurable: false });
    }
    return left.length === 0 ? undefined : `${left.join(', ')} cannot be taken from it`;
  };

  const answered = (question: SandboxQuestion): SandboxReply => {
    if (hasOwn(question, 'rows')) return rewarded((question as never as { rows: OwnRewardRow[] }).rows);
    if (hasOwn(question, 'draws')) return each((question as never as { draws: DrawSeed[] }).draws, drawn);
    return each((question as never as { answers: OwnAnswer[] }).answers, judged);
  };

  let logs: unknown[] = [];
  let mostLogs = 0;
  /** Place of the completion under way. */
  let at = 0;
  const log = (place: number | null, name: unknown, value: unknown): void => {
    if (logs.length >= mostLogs) throw new Range(`a reward logs ${logsEach} values of a completion at most`);
    element.value = [place, told(name), told(value)];
    defineProperty(logs, logs.length, element);
  };
  const logExtra = freeze((name: unknown, value: unknown): void => log(at, name, value));
  const logMetric = freeze((name: unknown, value: unknown): void => log(null, name, value));

  const rewarded = (rows: readonly OwnRewardRow[]): SandboxReply => {
    logs = [];
    mostLogs = logsEach * rows.length;
    at = -1;
    const reply = each(rows, scored);
    return reply.type === 'scores' ? { type: 'scores', values: reply.values, logs } : reply;
  };
  const scored = (row: OwnRewardRow): unknown => {
    at++;
    element.value = logExtra;
    defineProperty(row, 'logExtra', element);
    element.value = logMetric;
    defineProperty(row, 'logMetric', element);
    return told(call('reward', frozenRow(row)));
  };

  const hear = ({ data }: MessageEvent<Envelope<SandboxQuestion>>): void => {
    const { nonce, content } = data;
    // By what was asked before, not by a field that objects may have come to inherit.
    const isFirst = calls === undefined;
    post({ nonce, content: isFirst ? (refused ?? read(content as never)) : answered(content) });
  };

  scope.addEventListener(
    'message',
    ({ ports }) => {
      const port = ports[0] as MessagePort; // the page sends one
      post = port.postMessage.bind(port);
      port.onmessage = hear;
    },
    { once: true },
  );
  const problem = fault() ?? lockDown();
  const refused: SandboxReply | undefined =
    problem === undefined ? undefined : { type: 'refused', rule: `cannot run here: ${problem}; use another browser` };
  report(undefined); // the page then sends the port
}

/**
 * What runs first in the worker of a visitor's reward, before any code of theirs: it takes the world away, then has the
 * code read as a script of its own, and calls the `reward` that it declares.
 *
 * The function below is written into the worker as text, so it refers to nothing but its arguments and the language. It
 * is no part of the visitor's scope: none of its names can be seen from there. Whatever it needs once their code ran, it
 * has taken before, since they may replace every method that an object inherits.
 */

import type { RewardBatch } from '../rewards/reward_function.ts';
import type { Envelope, SandboxReply } from '../rewards/sandbox.ts';

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

interface Code {
  readonly code: string;
}

interface Rows {
  readonly rows: readonly OwnRewardRow[];
}

/** What the worker is told: the code first, then one batch after the other. */
export type SandboxQuestion = Code | Rows;

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

declare const reward: unknown; // of the visitor's script, where it declares one

function runSandbox(globals: readonly string[]): void {
  const scope = globalThis as unknown as Scope;
  const { freeze, isFrozen, values: valuesOf, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Object;
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
  const longestText = 300;
  let post: (message: Envelope<SandboxReply>) => void;
  let score: ((row: OwnRewardRow) => unknown) | undefined;

  const read = (code: string): SandboxReply => {
    // A script of its own: no bracket of theirs closes one of ours.
    const url = createObjectURL(new ScriptBlob([`"use strict";${code}\n`], { type: 'text/javascript' }));
    try {
      importScript(url);
      if (typeof reward !== 'function') return { type: 'refused', rule: 'declares no function reward; declare one' };
      score = reward as typeof score;
      return { type: 'ready' };
    } catch (error) {
      return { type: 'refused', rule: `failed while it was read: ${described(error)}; correct it` };
    }
  };

  const scoreAll = (rows: readonly OwnRewardRow[]): SandboxReply => {
    const values: unknown[] = new List(rows.length);
    try {
      for (let i = 0; i < rows.length; i++) {
        element.value = told(score?.(frozenRow(rows[i] as OwnRewardRow)));
        defineProperty(values, i, element); // an assignment would call a setter that lists have come to inherit
      }
      return { type: 'scores', values };
    } catch (error) {
      return { type: 'threw', thrown: described(error) };
    }
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
      const { name, message } = error as Error;
      return begin(`${name}: ${message}`, 0, longestText);
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

  const hear = ({ data }: MessageEvent<Envelope<SandboxQuestion>>): void => {
    const { nonce, content } = data;
    // By what was asked before, not by a field that objects may have come to inherit.
    const isFirst = score === undefined;
    post({ nonce, content: isFirst ? (refused ?? read((content as Code).code)) : scoreAll((content as Rows).rows) });
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

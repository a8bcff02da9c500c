/**
 * The sandbox of a reward that a user wrote: one contract, kept by two hosts, a thread of Node's
 * (`packages/plugins/threads/reward_thread.node.ts`) and a worker of a browser's (`web/own_code/own_reward.ts`). docs/plugins.md says it to users.
 *
 * - **Input**: a copy, deeply frozen (`frozen`). What the code does to it reaches neither the run nor another call.
 * - **Output**: a list with a finite number or null per completion, no larger than `LARGEST_REWARD` either way. Checked
 *   by the run, on its own side (`scoreRewards`).
 * - **Time**: `SandboxLimits`. Code that is late is ended, and scores nothing more.
 * - **Memory**: the JavaScript engine's limit for one thread; the run is notified of its end, and names the reward.
 * - **Replies**: each question has a nonce, and only a reply that carries it counts: code can neither answer before it
 *   was asked nor twice.
 * - **Reach**: in a browser the code is a visitor's or came with a link or a file, so it is given `ECMASCRIPT_GLOBALS`
 *   and nothing else: no network, storage, timer, page or module. In Node it is a file on the user's own machine, which
 *   may import and read what any program of theirs may; the thread is there so that a run survives its mistakes.
 */

/** Most seconds of a question. */
export interface SandboxLimits {
  /** Until the code is read, and has shown a reward. */
  readonly load: number;
  /** For each batch. */
  readonly score: number;
  /** The key that raises them, where there is one: part of the remedy. */
  readonly key?: string;
}

/** A message to or from a sandbox, wrapped so that a reply belongs to one question. */
export interface Envelope<T> {
  readonly nonce: string;
  readonly content: T;
}

/** What a sandbox says. */
export type SandboxReply =
  /** The code was read, and shows a reward. */
  | { readonly type: 'ready' }
  /** The code cannot be used: `rule; remedy`. */
  | { readonly type: 'refused'; readonly rule: string; readonly facts?: Readonly<Record<string, unknown>> }
  /** One value per completion, and what was logged beside them, in the form of `RewardLogs`: both unchecked. */
  | { readonly type: 'scores'; readonly values: unknown; readonly logs?: unknown }
  /** The code threw this: `TypeError: x is not a function`. */
  | { readonly type: 'threw'; readonly thrown: string }
  /** The code broke its contract, in a whole sentence. */
  | {
      readonly type: 'failed';
      readonly message: string;
      /** The error's own, where it is one of the package. */
      readonly code?: string;
      readonly facts?: Readonly<Record<string, unknown>>;
    };

/** A nonce that cannot be guessed. */
export function newNonce(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The reply of a message with this nonce; undefined for anything else that a worker may post. */
export function replyIn(message: unknown, nonce: string): SandboxReply | undefined {
  if (!isRecord(message) || message.nonce !== nonce || !isRecord(message.content)) return undefined;
  const { type, rule, thrown, message: text } = message.content;
  const isReply =
    type === 'ready' ||
    type === 'scores' ||
    (type === 'refused' && typeof rule === 'string') ||
    (type === 'threw' && typeof thrown === 'string') ||
    (type === 'failed' && typeof text === 'string');
  return isReply ? (message.content as unknown as SandboxReply) : undefined; // looked at just now
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The value itself, with every plain object and list in it frozen. Typed arrays cannot be; they are copies all the same. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}

/**
 * The global names of the language itself (ECMA-262 and ECMA-402), without `eval` and `Function`, which make code of
 * texts. A browser's sandbox has these and no others: what a browser adds tomorrow is not on the list.
 */
export const ECMASCRIPT_GLOBALS: readonly string[] = [
  'globalThis',
  'Infinity',
  'NaN',
  'undefined',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'unescape',
  'AggregateError',
  'Array',
  'ArrayBuffer',
  'AsyncDisposableStack',
  'Atomics',
  'BigInt',
  'BigInt64Array',
  'BigUint64Array',
  'Boolean',
  'DataView',
  'Date',
  'DisposableStack',
  'Error',
  'EvalError',
  'FinalizationRegistry',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'Int16Array',
  'Int32Array',
  'Int8Array',
  'Intl',
  'Iterator',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'RangeError',
  'ReferenceError',
  'Reflect',
  'RegExp',
  'Set',
  'SharedArrayBuffer',
  'String',
  'SuppressedError',
  'Symbol',
  'SyntaxError',
  'Temporal',
  'TypeError',
  'URIError',
  'Uint16Array',
  'Uint32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'WeakMap',
  'WeakRef',
  'WeakSet',
];

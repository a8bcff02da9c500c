/**
 * What files of the user's may do to the process while they are open on the run's own thread: nothing in them ends it,
 * prints into the run's own output, or fails unseen.
 *
 * Who calls is known by the call under way; in a timer that a call left behind, by that call; after an `await`, by the
 * file in the stack. What the program around a run does by itself is left alone.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PluginError } from '../errors.ts';
import { describeThrown } from './module.node.ts';
import { withTimeLimit } from './time_limit.node.ts';

/** Whose code is called. */
export interface Callee {
  /** For messages: `task "addition" (tasks/addition.ts)`. */
  readonly name: string;
  /** The file. */
  readonly path: string;
  /** Most seconds of a timer that a call leaves behind. */
  readonly limitSeconds: number;
}

/** Files that are open, until it is closed. */
export interface ProcessGuard {
  /** From now on this file is known by a better name; `imported` files count as its own. */
  know(callee: Callee, imported?: readonly string[]): void;
  /** @throws PluginError where something failed outside of a call, and no call has said so since */
  close(): void;
}

let active: Callee | undefined;
/** Something failed outside of a call: the next call says so, and the run stops there. */
let pending: PluginError | undefined;
const known = new Map<string, Callee>();
const open = new Set<object>();
const undo: (() => void)[] = [];
/** Would keep the process from ending after the run. */
const intervals = new Set<NodeJS.Timeout>();
let endedByProgram = false;

/** Puts the guard up. Guards may overlap; what they watch is given back with the last one. */
export function guardProcess(): ProcessGuard {
  const guard = {};
  if (open.size === 0) install();
  open.add(guard);
  const mine: string[] = [];
  return {
    know(callee, imported = []) {
      for (const path of [callee.path, ...imported]) {
        known.set(path, callee);
        mine.push(path);
      }
    },
    close() {
      open.delete(guard);
      for (const path of mine) known.delete(path);
      if (open.size === 0) uninstall();
      throwPending();
    },
  };
}

/**
 * Runs `work`, whose doing is the callee's; undefined: nobody's but that of the calls in it.
 * @throws PluginError where the callee has failed outside of a call before
 */
export function runAs<T>(callee: Callee | undefined, work: () => T): T {
  throwPending();
  const before = active;
  active = callee;
  try {
    return work();
  } finally {
    active = before;
  }
}

/** The same until `work` is over: for loading, while nothing else runs. */
export async function runAsAsync<T>(callee: Callee, work: () => Promise<T>): Promise<T> {
  const before = active;
  active = callee;
  try {
    return await work();
  } finally {
    active = before;
  }
}

function throwPending(): void {
  if (pending === undefined) return;
  const error = pending;
  pending = undefined;
  throw error;
}

/** The file that is called now, or that the present stack names. */
function culprit(): Callee | undefined {
  return active ?? ownerOf(stackNow());
}

function stackNow(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50; // a user's library may be between its file and us
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return typeof stack === 'string' ? stack : '';
}

function ownerOf(stack: string): Callee | undefined {
  const places = stack.replace(/file:\/\/[^\s)]*?(?=:\d)/g, (url) => fileURLToPath(url));
  for (const [path, callee] of known) if (places.includes(`${path}:`)) return callee;
  return undefined;
}

function failedOutside(callee: Callee, error: unknown): void {
  const reason = error instanceof PluginError ? error.message : describeThrown(error, callee.path);
  const rule = `failed outside of a call: ${reason.replace(/\.$/, '')} — correct it`;
  pending ??= new PluginError('failed-outside', `${callee.name} ${rule}.`, { path: callee.path });
}

function install(): void {
  endedByProgram = false;
  const refuse = (call: string): never => {
    throw new PluginError('ends-process', `it called ${call}, which would end the run without a word`);
  };
  replace(process, 'exit', (exit) => (code) => {
    if (culprit()) refuse(`process.exit(${code ?? ''})`);
    endedByProgram = true;
    return exit(code);
  });
  // What process.exit() comes down to; as old as Node, though its types do not have it.
  replace(process as unknown as { reallyExit: (code?: number) => never }, 'reallyExit', (exit) => (code) => {
    if (culprit()) refuse(`process.reallyExit(${code ?? ''})`);
    return exit.call(process, code);
  });
  replace(process, 'abort', (abort) => () => (culprit() ? refuse('process.abort()') : abort()));
  replace(process, 'kill', (kill) => (pid, signal) => {
    // 0 and negative numbers mean groups of processes, among them this one's.
    if (signal !== 0 && (pid === process.pid || pid <= 0) && culprit()) refuse(`process.kill(${pid})`);
    return kill(pid, signal);
  });
  installOutput();
  installTimers();
  process.on('uncaughtException', onUncaught);
  process.on('exit', onExit);
}

/** What is printed goes to standard error: a script may read the run's own output. */
function installOutput(): void {
  replace(process.stdout, 'write', (write) => {
    const routed = (...given: Parameters<typeof write>): boolean =>
      culprit() ? process.stderr.write(...given) : write.apply(process.stdout, given);
    return routed as typeof write;
  });
  replaceWritesTo(1, () => culprit() !== undefined);
}

/** `fs.write` and `fs.writeSync` on standard output, to standard error where `isMeant`. */
function replaceWritesTo(output: number, isMeant: () => boolean): void {
  const routed = (fd: number): number => (fd === output && isMeant() ? 2 : fd);
  type AnyCall = (fd: number, ...rest: unknown[]) => unknown;
  const files = fs as unknown as { write: AnyCall; writeSync: AnyCall };
  undo.push(syncBuiltinESMExports); // comes last of these, as undoing goes backwards
  for (const name of ['write', 'writeSync'] as const) {
    replace(
      files,
      name,
      (write) =>
        (fd, ...rest) =>
          write(routed(fd), ...rest),
    );
  }
  syncBuiltinESMExports();
}

/** In a thread of the user's code everything that is written to standard output is the user's. */
export function sendWritesToStandardError(): void {
  replaceWritesTo(1, () => true);
}

function installTimers(): void {
  type Start = (callback: unknown, ...rest: unknown[]) => NodeJS.Timeout;
  const scope = globalThis as unknown as Record<'setTimeout' | 'setInterval' | 'setImmediate', Start>;
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
    replace(scope, name, (start) => {
      const watched: Start = (callback, ...rest) => {
        if (active === undefined || typeof callback !== 'function') return start(callback, ...rest);
        const timer = start(watchTimer(active, callback as (...given: unknown[]) => unknown), ...rest);
        if (name === 'setInterval') intervals.add(timer);
        return timer;
      };
      return Object.defineProperties(watched, Object.getOwnPropertyDescriptors(start)); // promisify finds its own there
    });
  }
}

function watchTimer(callee: Callee, callback: (...given: unknown[]) => unknown): (...given: unknown[]) => void {
  return (...given) => {
    if (pending !== undefined) return;
    try {
      runAs(callee, () => withTimeLimit(callee.limitSeconds, () => callback(...given)));
    } catch (error) {
      failedOutside(callee, error);
    }
  };
}

function replace<O extends object, K extends keyof O>(object: O, name: K, make: (original: O[K]) => O[K]): void {
  const own = Object.getOwnPropertyDescriptor(object, name);
  object[name] = make(object[name]);
  undo.push(() => {
    if (own === undefined) delete object[name];
    else Object.defineProperty(object, name, own);
  });
}

function uninstall(): void {
  process.off('uncaughtException', onUncaught);
  process.off('exit', onExit);
  for (const each of undo.splice(0).reverse()) each();
  for (const timer of intervals) clearInterval(timer);
  intervals.clear();
}

function onUncaught(error: unknown): void {
  const callee = ownerOf(error instanceof Error ? String(error.stack) : '');
  if (callee !== undefined) {
    failedOutside(callee, error);
    return;
  }
  if (process.listenerCount('uncaughtException') > 1) return; // the program around the run has its own way
  // Nobody's of the user's: as if this had never been looked at.
  process.off('uncaughtException', onUncaught);
  process.nextTick(() => {
    throw error;
  });
}

/** Somebody kept process.exit from before, or came by another way. */
function onExit(code: number): void {
  if (active === undefined || endedByProgram || code !== 0) return;
  process.exitCode = 70;
  process.stderr.write(`${active.name} ended the process in the middle of a run — correct it.\n`);
}

/** A user's export with its functions watched: each call is one of `calls.node.ts`, and what it gives is held to its contract. */
import { broken, type Callee, type Flaw, type OwnCall, promised, runCall } from './calls.node.ts';
import type { Contract, Contracts } from './contracts.node.ts';

/** A function of an export, as it is called. */
export type Call = (...given: readonly unknown[]) => unknown;

/** Whose functions they are, and how messages name them: `environment.` before each. */
export interface WatchOptions {
  readonly callee: Callee;
  readonly prefix?: string;
  /** By the function: what is still to be done with what it gave, in the same call. */
  readonly after?: Readonly<Record<string, (value: unknown) => unknown>>;
}

/** The functions of an export by their names, those of a class too; what has no contract is called as any other. */
export function watchedFunctions(own: object, contracts: Contracts, options: WatchOptions): Record<string, Call> {
  const members = own as Readonly<Record<string, unknown>>;
  const names = new Set<string>();
  for (let at: object = own; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  names.delete('constructor');
  const functions = [...names].filter((name) => typeof members[name] === 'function');
  return Object.fromEntries(
    functions.map((name) => {
      const contract: Contract = Object.hasOwn(contracts, name) ? contracts[name] : {};
      return [name, watchedCall(name, (members[name] as Call).bind(own), contract, { ...options, own: members })];
    }),
  );
}

/** @param name  of the function, in messages and in its contract */
export function watchedCall(
  name: string,
  call: Call,
  contract: Contract,
  { callee, prefix = '', after = {}, own = {} }: WatchOptions & { readonly own?: Readonly<Record<string, unknown>> },
): Call {
  const { about, check, isShort, perToken, mayWait = callee.kind === 'method' ? 'limited' : undefined } = contract;
  const finish = Object.hasOwn(after, name) ? after[name] : (value: unknown): unknown => value;
  const callOf = (given: readonly unknown[]): OwnCall => ({
    callee,
    part: `${prefix}${name}`,
    about: () => about?.(given) ?? '',
  });
  const looked = (value: unknown, given: readonly unknown[]): unknown => {
    const flaw: Flaw | undefined = check?.(value, given, own);
    if (flaw !== undefined) throw broken(callOf(given), flaw);
    return value;
  };
  if (perToken !== undefined) return tokenCall(call, { callOf, looked, isFine: perToken });
  return (...given) => {
    const asked = callOf(given);
    const value = runCall(
      asked,
      () => {
        const gave = finish(call(...given));
        return gave instanceof Promise && mayWait !== undefined ? gave : looked(gave, given);
      },
      isShort && 'none',
    );
    if (!(value instanceof Promise) || mayWait === undefined) return value;
    const unlimited = mayWait === 'unlimited' ? 'none' : undefined;
    return promised(asked, value, unlimited).then((found) => looked(found, given));
  };
}

/** Calls for tokens that are limited all the same: a loop without an end is mostly there from the first one on. */
const FIRST_CALLS = 100;

interface TokenCall {
  callOf(given: readonly unknown[]): OwnCall;
  looked(value: unknown, given: readonly unknown[]): unknown;
  isFine(out: unknown): boolean;
}

/** For calls with up to three arguments. Allocates nothing per token after the first calls. */
function tokenCall(call: Call, { callOf, looked, isFine }: TokenCall): Call {
  let calls = 0;
  return (point, out, seen) => {
    const isFirst = calls++ < FIRST_CALLS;
    const value = isFirst ? runCall(callOf([point, out]), () => call(point, out, seen)) : call(point, out, seen);
    return isFine(out) ? value : looked(value, [point, out]);
  };
}

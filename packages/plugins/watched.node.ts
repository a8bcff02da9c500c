/** Exports with their functions watched: each call is one of `calls.node.ts`, and what it gives is held to its contract. */
import { refusal } from '../zoo/rewards/sandbox/sandbox_thread.ts';
import { broken, type Callee, type OwnCall, promised, runCall } from './calls.node.ts';
import { CONTRACTS, type Contract, type ExportContract, type Kind, lacking } from './contracts.node.ts';
import { kindOf } from './module.node.ts';
import { isMapping } from './shapes.node.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** A function of an export, as it is called. */
export type Call = (...given: readonly unknown[]) => unknown;

/**
 * An export that has all that its contract needs.
 *
 * @param called  `its default export`
 * @throws PluginError `rule; remedy`
 */
export function requireExport(value: unknown, called: string, kind: Kind): Mapping {
  const { noun, remedy, members } = CONTRACTS[kind];
  const lacks = lacking(value, CONTRACTS[kind]);
  const functions = Object.values(members).filter(({ needed, fact }) => needed === true && fact === undefined);
  if (!isMapping(value) || lacks.filter((name) => name.endsWith('()')).length >= functions.length) {
    throw refusal(`${called} is ${kindOf(value)}, not ${noun}; ${remedy}`);
  }
  if (lacks.length === 0) return value;
  throw refusal(
    `${called} is no complete ${noun.replace(/^an? /, '')}: it lacks ${lacks.join(', ')}; add what is missing`,
  );
}

/**
 * The export with its functions watched, and with what they make and what it holds.
 *
 * @param prefix  how messages begin the names of its functions: `environment.`
 */
export function watchedExport(own: Mapping, kind: Kind, callee: Callee, prefix = ''): Mapping {
  const { members } = CONTRACTS[kind];
  const facts = Object.entries(members).flatMap(([name, { fact, holds }]) => {
    if (holds === undefined || own[name] === undefined) return fact === undefined ? [] : [[name, own[name]]];
    return [[name, watchedExport(requireExport(own[name], `its ${name}`, holds), holds, callee, `${name}.`)]];
  });
  return { ...own, ...watchedFunctions(own, members, callee, prefix), ...Object.fromEntries(facts) };
}

/** The functions of an export by their names, those of a class too; what has no contract is called as any other. */
export function watchedFunctions(
  own: Mapping,
  members: ExportContract['members'],
  callee: Callee,
  prefix = '',
): Record<string, Call> {
  const names = new Set<string>();
  for (let at: object = own; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  names.delete('constructor');
  const functions = [...names].filter((name) => typeof own[name] === 'function');
  return Object.fromEntries(
    functions.map((name) => {
      const contract = Object.hasOwn(members, name) ? members[name] : {};
      return [name, watchedCall((own[name] as Call).bind(own), contract, { callee, part: `${prefix}${name}`, own })];
    }),
  );
}

interface WatchedCall {
  readonly callee: Callee;
  /** The function, in messages. */
  readonly part: string;
  /** The export that it is of. */
  readonly own?: Mapping;
}

export function watchedCall(call: Call, contract: Contract, { callee, part, own = {} }: WatchedCall): Call {
  const { about, as, check, isShort, makes, perToken, reads } = contract;
  const { mayWait = callee.kind === 'method' ? 'limited' : undefined } = contract;
  const callOf = (given: readonly unknown[]): OwnCall => ({ callee, part, about: () => about?.(given) ?? '' });
  const checked = (value: unknown, given: readonly unknown[]): unknown => {
    const flaw = check?.(value, given, own);
    if (flaw !== undefined) throw broken(callOf(given), flaw);
    return as === undefined ? value : as(value as never);
  };
  if (perToken !== undefined) return tokenCall(call, perToken, callOf, checked);
  return (...given) => {
    const asked = callOf(given);
    const value = runCall(
      asked,
      () => {
        const gave = reads === undefined ? call(...given) : read(call(...given), reads);
        return gave instanceof Promise && mayWait !== undefined ? gave : checked(gave, given);
      },
      isShort && 'none',
    );
    if (makes !== undefined) return made(value, makes, asked);
    if (!(value instanceof Promise) || mayWait === undefined) return value;
    const awaited = promised(asked, value, mayWait === 'unlimited' ? 'none' : undefined);
    return awaited.then((found) => checked(found, given));
  };
}

/** A generator does its work when it is read, which must happen in the call that makes it. */
function read(values: unknown, most: number): unknown {
  if (!isMapping(values) || !(Symbol.iterator in values)) return values;
  const list: unknown[] = [];
  for (const value of values as unknown as Iterable<unknown>) if (list.push(value) === most) break;
  return list;
}

function made(value: unknown, kind: Kind, asked: OwnCall): Mapping {
  const { noun, remedy } = CONTRACTS[kind];
  const lacks = lacking(value, CONTRACTS[kind]);
  if (isMapping(value) && lacks.length === 0) return watchedExport(value, kind, asked.callee, `${kind}.`);
  const what = isMapping(value) ? `${noun} without ${lacks.join(', ')}` : kindOf(value);
  throw broken(asked, [`gave ${what}`, remedy]);
}

/** Calls for tokens that are limited all the same: a loop without an end is mostly there from the first one on. */
const FIRST_CALLS = 100;

/** For calls with up to three arguments. Allocates nothing per token after the first calls. */
function tokenCall(
  call: Call,
  isFine: (out: unknown) => boolean,
  callOf: (given: readonly unknown[]) => OwnCall,
  checked: (value: unknown, given: readonly unknown[]) => unknown,
): Call {
  let calls = 0;
  return (point, out, seen) => {
    const isFirst = calls++ < FIRST_CALLS;
    const value = isFirst ? runCall(callOf([point, out]), () => call(point, out, seen)) : call(point, out, seen);
    return isFine(out) ? value : checked(value, [point, out]);
  };
}

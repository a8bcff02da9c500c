/** What to say about a key that a section does not have. */
import type { Json } from '../options/json.ts';
import { nearestKey } from '../options/nearest_name.ts';
import type { Problems } from './problems.ts';
import { isMapping } from './yaml/yaml_tree.ts';

/** What other trainers, papers and habits call keys: data for what is said of one that is not here. */
export interface KeysElsewhere {
  /** Keys of other trainers that have no counterpart here: of a run, and of its model. */
  readonly unsupported: Readonly<Record<'run' | 'model', Readonly<Record<string, UnsupportedKey>>>>;
  /** By key: names that are too far from it for a misspelling. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** `rule; remedy` for names that no key means as it is. */
  readonly meant: Readonly<Record<string, string>>;
}

/** Why a key is refused, and the values for which nothing is lost. */
export interface UnsupportedKey {
  /** `rule; remedy`. */
  readonly because: string;
  readonly agrees: readonly Json[];
  /** Whatever its value, nothing is lost: said, and taken. */
  readonly isHarmless?: boolean;
}

const NOTHING_ELSEWHERE: KeysElsewhere = { unsupported: { run: {}, model: {} }, names: {}, meant: {} };

/** A section's view of keys: its own, and where other keys belong. */
export interface KeyGuide {
  readonly of: 'run' | 'model';
  readonly known: ReadonlySet<string>;
  /** `rule; remedy` for keys of other sections. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Reports a key that is not in `guide.known`. */
export function refuseUnknown(
  guide: KeyGuide,
  path: string,
  value: unknown,
  problems: Problems,
  others: KeysElsewhere = NOTHING_ELSEWHERE,
): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const table = others.unsupported[guide.of];
  const unsupported = Object.hasOwn(table, name) ? table[name] : undefined;
  if (unsupported !== undefined && (value === null || agrees(unsupported, value))) {
    // null: not given. The reason alone: there is nothing to do.
    if (value !== null) problems.note(path, value, unsupported.because.split('; ')[0]);
    return;
  }
  const section = isMapping(value) ? Object.keys(value).filter((inner) => guide.known.has(inner)) : [];
  const misplaced = section.length === 0 ? undefined : `no such section; move ${section.join(', ')} out of it`;
  const reason =
    unsupported?.because ??
    elsewhere(name, guide, others) ??
    misplaced ??
    (() => unknownRule(name, guide.known, others));
  problems.add(path, value, reason);
}

/** Where a key belongs, or what else its name may mean. */
function elsewhere(name: string, guide: KeyGuide, others: KeysElsewhere): string | undefined {
  const { meant: table } = others;
  const meant = Object.hasOwn(table, name) && guide.known.has('reward_funcs') ? table[name] : undefined;
  const belongs = guide.elsewhere.get(name);
  const other = keyNamed(name, guide.known, others);
  return meant ?? (belongs !== undefined && other !== undefined ? `${belongs}, or ${other} if that is meant` : belongs);
}

/** Whether the value asks for the existing behaviour. */
function agrees(unsupported: UnsupportedKey, value: unknown): boolean {
  return unsupported.isHarmless === true || unsupported.agrees.some((harmless) => isAlike(harmless, value));
}

/** A mapping is harmless if each of its keys is. */
function isAlike(harmless: Json, value: unknown): boolean {
  if (Array.isArray(harmless)) return Array.isArray(value) && value.length === 0 && harmless.length === 0;
  if (!isMapping(harmless)) return harmless === value;
  const known: Readonly<Record<string, Json>> = harmless;
  return (
    isMapping(value) &&
    Object.entries(value).every(([key, inner]) => Object.hasOwn(known, key) && isAlike(known[key], inner))
  );
}

/** The key of a section that another name most likely means. */
function keyNamed(name: string, known: ReadonlySet<string>, { names }: KeysElsewhere): string | undefined {
  return Object.keys(names).find((key) => known.has(key) && names[key].includes(name.toLowerCase()));
}

function unknownRule(name: string, known: ReadonlySet<string>, others: KeysElsewhere): string {
  const [, key, value] = /^(\w+):(.+)$/.exec(name) ?? []; // {hidden_size:32} is one key
  if (key !== undefined && known.has(key)) return `no space after the colon; write ${key}: ${value}`;
  const meant = keyNamed(name, known, others);
  if (meant !== undefined) return `unknown key; here it is called ${meant}`;
  const nearest = nearestKey(name, known);
  return nearest === undefined ? 'unknown key; leave it out' : `unknown key; the nearest is ${nearest}`;
}

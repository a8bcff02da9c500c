/** What to say about a key that a section does not have. */
import type { Json } from '../options/json.ts';
import { nearestKey } from '../options/nearest_name.ts';
import { keyNamed, MEANT_ELSEWHERE } from './keys/names_elsewhere.ts';
import { AS_GIVEN, type UnsupportedKey } from './keys/trl_keys.ts';
import type { Problems } from './problems.ts';
import { isMapping } from './yaml/yaml_tree.ts';

/** A section's view of keys: its own, those it knows to refuse, and where other keys belong. */
export interface KeyGuide {
  readonly known: ReadonlySet<string>;
  /** Keys refused with a reason, unless their value changes nothing. */
  readonly unsupported: Readonly<Record<string, UnsupportedKey>>;
  /** `rule; remedy` for keys of other sections. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Reports a key that is not in `guide.known`. */
export function refuseUnknown(guide: KeyGuide, path: string, value: unknown, problems: Problems): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const unsupported = Object.hasOwn(guide.unsupported, name) ? guide.unsupported[name] : undefined;
  if (unsupported !== undefined && (value === null || agrees(unsupported, value))) {
    // null: not given. The reason alone: there is nothing to do.
    if (value !== null) problems.note(path, value, unsupported.because.split('; ')[0]);
    return;
  }
  const section = isMapping(value) ? Object.keys(value).filter((inner) => guide.known.has(inner)) : [];
  const misplaced = section.length === 0 ? undefined : `no such section; move ${section.join(', ')} out of it`;
  const because = unsupported?.because.replace(AS_GIVEN, isScalar(value) ? String(value) : '…');
  const reason = because ?? elsewhere(name, guide) ?? misplaced ?? (() => unknownRule(name, guide.known));
  problems.add(path, value, reason);
}

const isScalar = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

/** Where a key belongs, or what else its name may mean. */
function elsewhere(name: string, guide: KeyGuide): string | undefined {
  const meant =
    Object.hasOwn(MEANT_ELSEWHERE, name) && guide.known.has('reward_funcs') ? MEANT_ELSEWHERE[name] : undefined;
  const belongs = guide.elsewhere.get(name);
  const other = keyNamed(name, guide.known);
  return meant ?? (belongs !== undefined && other !== undefined ? `${belongs}, or ${other} if that is meant` : belongs);
}

/** Whether the value asks for what happens anyway. */
function agrees(unsupported: UnsupportedKey, value: unknown): boolean {
  return unsupported.isHarmless === true || unsupported.agrees.some((harmless) => isAlike(harmless, value));
}

/** A mapping asks for no more than another where each of its keys does. */
function isAlike(harmless: Json, value: unknown): boolean {
  if (Array.isArray(harmless)) return Array.isArray(value) && value.length === 0 && harmless.length === 0;
  if (!isMapping(harmless)) return harmless === value;
  const known: Readonly<Record<string, Json>> = harmless;
  return (
    isMapping(value) &&
    Object.entries(value).every(([key, inner]) => Object.hasOwn(known, key) && isAlike(known[key], inner))
  );
}

function unknownRule(name: string, known: ReadonlySet<string>): string {
  const [, key, value] = /^(\w+):(.+)$/.exec(name) ?? []; // {hidden_size:32} is one key
  if (key !== undefined && known.has(key)) return `no space after the colon; write ${key}: ${value}`;
  const meant = keyNamed(name, known);
  if (meant !== undefined) return `unknown key; here it is called ${meant}`;
  const nearest = nearestKey(name, known);
  return nearest === undefined ? 'unknown key; leave it out' : `unknown key; the nearest is ${nearest}`;
}

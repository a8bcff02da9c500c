/**
 * `--set key=value`: overrides that are applied to the file before it is validated.
 *
 * The key is a dotted path (`model.hidden_size`, `stages.1.learning_rate`, counted from 0), or starts with a stage's
 * kind (`grpo.learning_rate`: every grpo stage), or is a top-level key, which stages inherit unless they set their
 * own: where one stage reads it, that one's is overridden; where several do and each has its own, the override is
 * refused, since it would change nothing. (A key of the file
 * may be repeated by every stage: its author sees both lines, and --dry-run says which one counts.) The value is
 * YAML. Flags of their own, such as `--seed 3`, come the same way and are named in errors.
 */
import { type Document, isAlias, visit } from 'yaml';
import type { StageConfig } from '../methods/stage.ts';
import type { Place, Places } from './problems.ts';
import { stageReads } from './run_config.ts';
import { parseYaml } from './yaml/yaml_document.ts';
import { DEEPEST, isMapping, type Tree } from './yaml/yaml_tree.ts';

const AFTER_THE_FILE = 2 ** 40; // flags are reported after every line of the file

/** `key=value` of `--set`, or of a flag that is named instead, in errors and in origins. */
export type Override = string | { readonly flag: string; readonly assignment: string };

/** The `key=value` of an override. */
export function assignmentOf(override: Override): string {
  return typeof override === 'string' ? override : override.assignment;
}

/** Applies the overrides in order, to `tree.values` and `tree.places`. */
export function applyOverrides(tree: Tree, overrides: readonly Override[]): void {
  overrides.forEach((override, index) => {
    const { flag, assignment } = typeof override === 'string' ? { flag: '--set', assignment: override } : override;
    applyOverride(tree, assignment, { label: flag, order: AFTER_THE_FILE + index });
  });
  lowerWarmups(tree);
}

/**
 * A stage that an override makes shorter than its warm-up in the file has one of as many steps, as with `--max-steps`: the file
 * meant a longer stage. One that is overridden itself stays, and is refused.
 */
function lowerWarmups(tree: Tree): void {
  const { values, places } = tree;
  const stages = Array.isArray(values.stages) ? values.stages.map((_, index) => `stages.${index}.`) : [];
  const isOverride = (place: Place | undefined): place is Place => place !== undefined && place.order >= AFTER_THE_FILE;
  const given = (path: string): unknown =>
    path.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], values);
  for (const prefix of stages.length === 0 ? [''] : stages) {
    const written = (key: string): string => (given(prefix + key) === undefined ? key : prefix + key);
    const [steps, warmup] = [written('max_steps'), written('warmup_steps')];
    const [place, most, own] = [places.get(steps), given(steps), given(warmup)];
    if (!isOverride(place) || isOverride(places.get(warmup))) continue;
    if (typeof most !== 'number' || typeof own !== 'number' || most < 1 || own <= most) continue;
    setAt(values, `${prefix}warmup_steps`.split('.'), most);
    markPlace(places, `${prefix}warmup_steps`, place);
  }
}

type Values = Readonly<Record<string, unknown>>;

function applyOverride(tree: Tree, override: string, place: Place): void {
  const equals = override.indexOf('=');
  const path = override.slice(0, Math.max(equals, 0)).trim();
  const written = override.slice(equals + 1).trim();
  if (path === '') {
    const rule = 'is not key=value; for example --set learning_rate=3e-4';
    tree.problems.addMessage('', `${override} ${rule}.`, place);
    return;
  }
  const parsed = parseYaml(written);
  if ('mistake' in parsed || hasOddNode(parsed.document)) {
    tree.problems.add(path, written, 'not a YAML value; quote it, or for example 3e-4', place);
    return;
  }
  const value: unknown = parsed.document.toJS();
  for (const target of targetsOf(tree, path, value, place)) {
    if (setAt(tree.values, target.split('.'), value)) markPlace(tree.places, target, place);
    else tree.problems.add(path, value, 'no such path in the file; use a key that is there, or a top-level one', place);
  }
}

/** `*name`, of which there is nothing in an override that it could mean, and what no file may nest either. */
function hasOddNode(document: Document.Parsed): boolean {
  let isAnchored = false;
  visit(document, (_, node, path) => {
    isAnchored ||= isAlias(node) || path.length > 2 * DEEPEST; // a mapping and its pair are two
    return isAnchored ? visit.BREAK : undefined;
  });
  return isAnchored;
}

/** The paths in the file that an override's path means. */
function targetsOf(tree: Tree, path: string, value: unknown, place: Place): string[] {
  const [head, ...rest] = path.split('.');
  const { stages } = tree.values;
  const list = Array.isArray(stages) ? stages : [];
  const kinds = list.map(stageName);
  if ((head === 'sft' || head === 'grpo' || kinds.includes(head)) && rest.length > 0) {
    if ((stages ?? null) === null && head === 'grpo') return [rest.join('.')]; // flat keys are one grpo stage
    const indices = kinds.flatMap((kind, index) => (kind === head ? [`stages.${index}.${rest.join('.')}`] : []));
    if (indices.length === 0)
      tree.problems.add(path, value, `there is no ${head} stage; use one of the stages given`, place);
    return indices;
  }
  const readers = list.filter((stage) => readsKey(stage, head));
  const [only, ...others] = readers;
  if (only !== undefined && others.length === 0 && Object.hasOwn(only as object, head)) {
    return [`stages.${list.indexOf(only)}.${path}`];
  }
  if (readers.length > 0 && readers.every((stage) => Object.hasOwn(stage as object, head))) {
    const who = readers.length < list.length ? 'every stage that reads it' : 'every stage';
    const example = `${stageName(readers.at(-1))}.${path}`;
    const rule = `${who} sets its own, so this would change nothing; use for example ${example}`;
    tree.problems.add(path, value, rule, place);
    return [];
  }
  return [path];
}

/** Writes `value` at a path, making mappings on the way; false where the path runs through a plain value. */
function setAt(root: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  let at: Record<string, unknown> = root;
  for (const [depth, name] of path.entries()) {
    if (name === '' || name === '__proto__') return false;
    if (Array.isArray(at) && !(Number(name) < at.length)) return false;
    if (depth === path.length - 1) {
      at[name] = value;
      return true;
    }
    const inner = Object.hasOwn(at, name) ? at[name] : undefined;
    if (inner === undefined || inner === null) at[name] = {};
    else if (typeof inner === 'string')
      at[name] = { name: inner }; // a plug-in written as its name alone
    else if (typeof inner !== 'object') return false;
    at = at[name] as Record<string, unknown>; // an object by the lines above; arrays are indexed by their digits
  }
  return false;
}

/** The path, and mappings made on the way to it, now come from `place`. */
function markPlace(places: Places, path: string, place: Place): void {
  for (const inner of [...places.keys()]) if (inner.startsWith(`${path}.`)) places.delete(inner);
  places.set(path, place);
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const around = path.slice(0, end);
    if (!places.has(around)) places.set(around, place);
  }
}

function readsKey(stage: unknown, name: string): boolean {
  const kind = stageKind(stage);
  return kind !== undefined && stageReads(kind, name);
}

function stageName(stage: unknown): string | undefined {
  return isMapping(stage) && typeof stage.stage === 'string' ? stage.stage : undefined;
}

/** Other names are forms of grpo, or refused later. */
function stageKind(stage: unknown): StageConfig['stage'] | undefined {
  const name = stageName(stage);
  return name === undefined || name === 'sft' ? name : 'grpo';
}

/** Which methods a stage is made of: TRL's keys and the keys of the points, resolved to one list per point, and back. */
import type { Method } from '../methods/method.ts';
import { findMethod, type MethodList } from '../methods/method_list.ts';
import type { MethodPlace } from '../methods/remark.ts';
import { eachPoint, METHOD_POINTS, type MethodPoint, type MethodsConfig } from '../methods/stage.ts';
import { USUAL_METHODS } from '../methods/usual_methods.ts';
import type { Json } from '../options/json.ts';
import { type Key, type Plugin, spellingIn } from '../options/keys.ts';
import { nearestKey } from '../options/nearest_name.ts';
import { unknownOptionRule } from '../options/read.ts';
import { firstRepeated } from '../options/repeated.ts';
import { hasSchedule, valuesAt } from '../options/schedule.ts';
import { zodOf } from '../options/schemas.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import { CHOOSING_KEYS, LOSS_TYPES, POINT_KEYS, sharedOptions } from './keys/method_keys.ts';
import type { Problems } from './problems.ts';
import { isLeftOut } from './recorded_keys.ts';
import { type Given, type GivenKeys, Section } from './section.ts';

type AnyMethod = Method<unknown>;

/** What the file says of a stage, and where mistakes in it go. */
interface Written {
  readonly given: GivenKeys;
  /** Path of the stage's own keys; those of the top level have none. */
  readonly prefix: string;
  readonly problems: Problems;
  readonly list: MethodList;
}

/** A method as it is asked for, and where. */
interface Chosen {
  readonly plugin: Plugin;
  readonly path: string;
}

/** The methods of a stage, and where each was asked for. */
export interface ResolvedMethods {
  readonly methods: MethodsConfig;
  pathOf(place: MethodPlace): string;
}

/** Resolves the methods of a stage, and reports those that there are not. */
export function resolveMethods(
  given: GivenKeys,
  prefix: string,
  problems: Problems,
  list: MethodList,
): ResolvedMethods {
  const written: Written = { given, prefix, problems, list };
  const { values } = new Section(CHOOSING_KEYS, given, prefix, problems);
  checkLossType(written);
  const read = new Set<string>();
  const paths = new Map<MethodPoint, readonly string[]>();
  const methodsOf = (point: MethodPoint): Plugin[] => {
    const chosen = chosenAt(point, values, written);
    const once = chosen.filter(({ plugin }) => findMethod(list, point, plugin)?.isRepeatable !== true);
    const twice = firstRepeated(once, ({ plugin }) => plugin.name);
    if (twice !== undefined) problems.add(twice.path, twice.plugin.name, 'is in this stage twice; keep one');
    paths.set(
      point,
      chosen.map(({ path }) => path),
    );
    return chosen.map((choice) => resolveOne(point, choice, written, read));
  };
  const methods = eachPoint(methodsOf);
  refuseUnread(written, read);
  return { methods, pathOf: ({ point, index }) => paths.get(point)?.[index] ?? prefix + POINT_KEYS[point].yaml };
}

/** Switched on by a key of TRL's, listed by name, or the default of a point that has one. */
function chosenAt(point: MethodPoint, values: Readonly<Record<string, unknown>>, { given, prefix }: Written): Chosen[] {
  const { yaml, takes } = POINT_KEYS[point];
  const path = given.get(yaml)?.path ?? prefix + yaml;
  const listed = values[yaml] as Plugin | readonly Plugin[] | undefined; // as the key's own schema gives it
  if (takes !== 'many' && !Array.isArray(listed)) {
    return [{ plugin: (listed as Plugin | undefined) ?? defaultOf(point, values), path }];
  }
  const switched = usualAt(point).flatMap(({ id, switchedOnBy }: AnyMethod): Chosen[] => {
    const value = switchedOnBy && values[switchedOnBy.key.yaml];
    const options = value === undefined ? undefined : switchedOnBy?.on(value, (other) => given.get(other)?.value);
    if (switchedOnBy === undefined || options === undefined) return [];
    const { yaml: own } = switchedOnBy.key;
    return [{ plugin: { ...options, name: id }, path: given.get(own)?.path ?? prefix + own }];
  });
  const named = ((listed ?? []) as readonly Plugin[]).map((plugin, i) => ({ plugin, path: `${path}.${i}` }));
  return [...switched, ...named];
}

function defaultOf(point: MethodPoint, values: Readonly<Record<string, unknown>>): Plugin {
  const ofLossType = LOSS_TYPES.get(String(values.loss_type));
  return { name: (isLoss(point) ? ofLossType?.[point] : undefined) ?? USUAL_METHODS[point][0].id };
}

/** The methods that keys of a stage may mean. */
const usualAt = (point: MethodPoint): readonly AnyMethod[] => USUAL_METHODS[point];

/** The method with every option written out; a file of the user's keeps its options as they are, since it is not loaded yet. */
function resolveOne(point: MethodPoint, { plugin, path }: Chosen, written: Written, read: Set<string>): Plugin {
  const { name, ...options } = plugin;
  if (isModuleFile(name)) return plugin;
  const method = findMethod(written.list, point, plugin);
  if (method === undefined) {
    written.problems.add(path, name, unknownRule(name, point, written.list));
    return plugin;
  }
  const given = optionsOf(method, options, path, written, read);
  const section = new Section(method.options, given, `${path}.`, written.problems);
  const isSound = section.sound(...Object.keys(method.options));
  const refuse = (option: string, rule: string): void => section.refuse(option, rule);
  const values = isSound ? completed(method, section.values, refuse) : section.values;
  const spelled = Object.entries(method.options).flatMap(([option, key]) => {
    const value = values[option] as Json | undefined; // a declaration reads plain data
    return value === undefined || isLeftOut(key, value) ? [] : [[givenSpelling(key, options), value] as const];
  });
  return { ...Object.fromEntries(spelled), name: method.id };
}

/** A config that spells an option the old way keeps it so, and with it its hash. */
const givenSpelling = (key: Key, options: Readonly<Record<string, Json>>): string =>
  spellingIn(key, (spelling) => Object.hasOwn(options, spelling));

/** The options with those that follow from others; a schedule is checked at both of its ends, and completed at each step. */
function completed(
  { options, complete }: AnyMethod,
  values: Readonly<Record<string, unknown>>,
  refuse: (option: string, rule: string) => void,
): Readonly<Record<string, unknown>> {
  if (!hasSchedule(values)) return complete?.(values, refuse) ?? values;
  for (const step of [0, Number.MAX_SAFE_INTEGER]) complete?.(valuesAt(options, values, { step, maxSteps: 1 }), refuse);
  return values;
}

/** What is given for a method: in its own mapping, or among the keys of the stage where it shares them. */
function optionsOf(
  method: AnyMethod,
  options: Readonly<Record<string, Json>>,
  path: string,
  { given, problems }: Written,
  read: Set<string>,
): GivenKeys {
  const optionKeys = Object.values(method.options).map(({ yaml }) => yaml);
  const ownOptions = new Map<string, Given>();
  const yamlOf = new Map(Object.values(method.options).map((key) => [givenSpelling(key, options), key.yaml]));
  for (const [yaml, value] of Object.entries(options)) {
    const meant = yamlOf.get(yaml);
    if (meant !== undefined) ownOptions.set(meant, { path: isSwitch(method, path) ? path : `${path}.${yaml}`, value });
    else problems.add(`${path}.${yaml}`, value, () => unknownOptionRule(yaml, optionKeys, { subject: method.id }));
  }
  for (const { yaml } of sharedOptions(method)) {
    read.add(yaml);
    const shared = given.get(yaml);
    if (shared !== undefined && !ownOptions.has(yaml)) ownOptions.set(yaml, shared);
  }
  return ownOptions;
}

function isSwitch({ switchedOnBy }: AnyMethod, path: string): boolean {
  return switchedOnBy !== undefined && path.endsWith(switchedOnBy.key.yaml);
}

function unknownRule(name: string, point: MethodPoint, { names }: MethodList): string {
  const knownNames = names[point];
  const elsewhere = METHOD_POINTS.find((other) => names[other].includes(name));
  if (elsewhere !== undefined) return `not a method of this point; move it to ${POINT_KEYS[elsewhere].yaml}`;
  const nearest = nearestKey(name, knownNames);
  const remedy = nearest === undefined ? 'give the path of a file of yours' : `the nearest is ${nearest}`;
  return `no such method (${knownNames.join(', ')}); ${remedy}`;
}

/** `loss_type` beside what it stands for, at the same place of the file. */
function checkLossType({ given, prefix, problems }: Written): void {
  const lossType = given.get('loss_type');
  if (lossType === undefined || lossType.value === null) return;
  const isOwn = ({ path }: Given): boolean => prefix !== '' && path.startsWith(prefix);
  for (const yaml of [POINT_KEYS.objective.yaml, POINT_KEYS.aggregation.yaml]) {
    const point = given.get(yaml);
    if (point === undefined || point.value === null || isOwn(point) !== isOwn(lossType)) continue;
    problems.add(point.path, point.value, `loss_type already names the ${yaml}; keep one of the two`);
  }
}

/** Options among the stage's own keys that no method of it takes, unless they ask for what happens anyway. */
function refuseUnread({ given, prefix, problems }: Written, read: ReadonlySet<string>): void {
  for (const point of METHOD_POINTS) {
    for (const method of usualAt(point)) {
      for (const { yaml, schema } of sharedOptions(method)) {
        const written = given.get(yaml);
        if (written === undefined || read.has(yaml) || !written.path.startsWith(prefix)) continue;
        const reader = zodOf(schema);
        const usual = reader.safeParse(undefined).data ?? completedDefault(method, yaml);
        const isDefault = usual === reader.safeParse(written.value).data;
        if (isDefault || written.value === false || written.value === null) continue;
        problems.add(
          written.path,
          written.value,
          `an option of ${method.id}, which this stage does not use; leave it out, or set ${POINT_KEYS[point].yaml}: ${method.id}`,
        );
      }
    }
  }
}

/** The value of an option where nothing is said, of one that follows from others. */
function completedDefault({ options, complete }: AnyMethod, yaml: string): unknown {
  const absent = Object.entries(options).map(([name, { schema }]) => [name, zodOf(schema).safeParse(undefined).data]);
  const values = complete?.(Object.fromEntries(absent), () => {}) ?? {};
  const [name] = Object.entries(options).find(([, option]) => option.yaml === yaml) ?? [];
  return name === undefined ? undefined : (values as Readonly<Record<string, unknown>>)[name];
}

/** The methods of a resolved stage in the YAML's spelling: by TRL's keys where these say it. */
export function methodsTree(methods: MethodsConfig): Record<string, Json> {
  const tree: Record<string, Json> = {};
  const [objective] = methods.objective;
  const [aggregation] = methods.aggregation;
  const lossType = [...LOSS_TYPES].find(
    ([, meant]) => meant.objective === objective?.name && meant.aggregation === aggregation?.name,
  );
  if (lossType !== undefined) tree.loss_type = lossType[0];
  for (const point of METHOD_POINTS) {
    const isSaid = lossType !== undefined && isLoss(point);
    const isAlone = methods[point].length === 1;
    const rest = methods[point].flatMap((plugin) => written(point, plugin, { isSaid, isAlone }, tree));
    for (const { id, switchedOnBy } of usualAt(point)) {
      if (switchedOnBy === undefined) continue;
      const on = methods[point].find(({ name }) => name === id);
      const value = on === undefined ? switchedOnBy.off : switchedOnBy.written(withoutName(on));
      if (value !== undefined) tree[switchedOnBy.key.yaml] = value;
    }
    if (rest.length === 0) continue;
    const { yaml, takes } = POINT_KEYS[point];
    tree[yaml] = takes === 'one' || (takes === 'chain' && rest.length === 1) ? rest[0] : rest;
  }
  return tree;
}

/** What is left to write of a method once its shared options are among the keys of the stage. */
function written(
  point: MethodPoint,
  plugin: Plugin,
  { isSaid, isAlone }: { readonly isSaid: boolean; readonly isAlone: boolean },
  tree: Record<string, Json>,
): Plugin[] {
  const usual = usualAt(point).find(({ id }) => id === plugin.name);
  if (usual === undefined) return [plugin];
  const shared = sharedOptions(usual).map(({ yaml }) => yaml);
  for (const yaml of shared) if (plugin[yaml] !== undefined) tree[yaml] = plugin[yaml];
  if (isSaid || usual.switchedOnBy?.written(withoutName(plugin)) !== undefined) return [];
  const isDefault =
    POINT_KEYS[point].takes !== 'many' && isAlone && USUAL_METHODS[point][0].id === usual.id && !isLoss(point);
  const remaining = Object.fromEntries(Object.entries(plugin).filter(([option]) => !shared.includes(option))) as Plugin; // with its name
  return isDefault ? [] : [remaining];
}

function withoutName({ name: _, ...options }: Plugin): Readonly<Record<string, Json>> {
  return options;
}

/** The points that `loss_type` stands for. */
function isLoss(point: MethodPoint): point is 'objective' | 'aggregation' {
  return point === 'objective' || point === 'aggregation';
}

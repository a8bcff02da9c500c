/** What a config names, each with its key: tasks and what they are made of, rewards, methods, reporters. */
import { POINT_KEYS } from '../../src/config/keys/method_keys.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { placeOfTask } from '../../src/config/mixture.ts';
import { DATASET } from '../../src/data/data_files.ts';
import { findMethod } from '../../src/methods/method_list.ts';
import { METHOD_POINTS, type MethodPoint } from '../../src/methods/stage.ts';
import type { Plugin } from '../../src/options/keys.ts';
import { isModuleFile } from '../../src/rewards/module_file.ts';
import { asksInWords, type Codec } from '../../src/text/codec.ts';

export interface NamedEntry {
  /** `inner`: what a task is made of; `verifier`: what compares the answers of a data set. */
  readonly kind: 'task' | 'inner' | 'verifier' | 'reward' | 'reporter' | 'demonstrations' | MethodPoint;
  readonly plugin: Plugin;
  /** The key of the config that names it, for `Problems`. */
  readonly place: string;
  /** Number of its stage; of a task its own, and of a reporter. */
  readonly index: number;
}

/** All of them, in the order in which they are opened. */
export function entriesOf({ config, problems }: LoadedConfig): NamedEntry[] {
  const keyOf = (...keys: readonly string[]): string => problems.written(...keys) ?? (keys.at(-1) as string);
  const tasks = config.tasks.flatMap(({ task }, index): NamedEntry[] => {
    const path = placeOfTask(problems, index);
    const [inner, verify] = [innerFile(task), verifierOf(task)];
    const place = problems.written(`${path}.name`, `${path}.task`) ?? path;
    return [
      { kind: 'task', plugin: task, place, index },
      ...named('inner', inner && { name: inner.task, export: inner.export as string }, `${path}.of`, index),
      ...named('verifier', verify === undefined ? undefined : { name: verify }, `${path}.verify`, index),
    ];
  });
  const stages = config.stages.flatMap((stage, index): NamedEntry[] => {
    const own = `stages.${index}`;
    if (stage.stage === 'sft') {
      const place = problems.written(`${own}.demonstrations.name`, `${own}.demonstrations`) ?? 'demonstrations';
      return named('demonstrations', stage.demonstrations, place, index);
    }
    const rewards = stage.rewards.map((plugin, i): NamedEntry => {
      const keys = [`${own}.reward_funcs.${i}`, `${own}.reward_funcs`, `reward_funcs.${i}`, 'reward_funcs'];
      return { kind: 'reward', plugin, place: keyOf(...keys), index };
    });
    const methods = METHOD_POINTS.flatMap((point) =>
      stage.methods[point].map((plugin, i): NamedEntry => {
        const { yaml, takes } = POINT_KEYS[point];
        const here = takes === 'one' ? yaml : `${yaml}.${i}`;
        return { kind: point, plugin, place: keyOf(`${own}.${here}`, here, `${own}.${yaml}`, yaml), index };
      }),
    );
    return [...rewards, ...methods];
  });
  const reporters = (config.reporters ?? []).flatMap((plugin, index) =>
    named('reporter', plugin, problems.written(`reporters.${index}`) ?? 'reporters', index),
  );
  return [...tasks, ...stages, ...reporters];
}

const named = (kind: NamedEntry['kind'], plugin: Plugin | undefined, place: string, index: number): NamedEntry[] =>
  plugin === undefined ? [] : [{ kind, plugin, place, index }];

/** A note for each option of a method that the config calls by the name that it had before. */
export function renamedOptions(loaded: LoadedConfig): string[] {
  return entriesOf(loaded).flatMap(({ kind, plugin, place }) => {
    const point = METHOD_POINTS.find((each) => each === kind);
    const method = point && findMethod(loaded.registries.methods, point, plugin);
    const renamed = Object.values(method?.options ?? {}).filter(({ oldYaml = '' }) => oldYaml in plugin);
    const why = 'is the old name, which the next version no longer takes';
    return renamed.map(({ yaml, oldYaml }) => `${place}.${oldYaml} ${why}: write ${yaml}`);
  });
}

/** What a run has no need of that only answers, as it is evaluated or sampled. */
export interface NeededOptions {
  readonly rewards?: 'unused';
  /** That of the model which the run begins with. To a closed vocabulary methods may add words, so that they are needed in any case. */
  readonly codec?: Codec | undefined;
}

/** Those that are files of code, and needed. */
export function namedFiles(loaded: LoadedConfig, { rewards, codec }: NeededOptions): NamedEntry[] {
  const isNeeded = (kind: NamedEntry['kind']): boolean => {
    if (rewards !== 'unused' || kind === 'task' || kind === 'inner' || kind === 'verifier') return true;
    return kind !== 'reward' && kind !== 'reporter' && !asksInWords(codec);
  };
  const entries = entriesOf(loaded).map((entry) => ({ ...entry, plugin: pythonFile(entry) ?? entry.plugin }));
  return entries.filter(({ kind, plugin: { name } }) => (isModuleFile(name) || name.endsWith('.py')) && isNeeded(kind));
}

/** The file of Python that a reward is a function of. */
function pythonFile({ kind, plugin }: NamedEntry): Plugin | undefined {
  const isPython = kind === 'reward' && plugin.name === PYTHON && typeof plugin.file === 'string';
  return isPython ? { name: plugin.file as string } : undefined;
}

/** Named here too: the module of that name is loaded for configs that have it. */
export const PYTHON: typeof import('../zoo/rewards/functions/python.ts').PYTHON = 'python';

/** The file of the user's that compares answers; undefined where a built-in comparison does. */
export function verifierOf({ name, verify }: Plugin): string | undefined {
  return name === DATASET && typeof verify === 'string' && isModuleFile(verify) ? verify : undefined;
}

/** A file that the knob `of` of a task names, with its own knobs. */
export type InnerFile = { readonly task: string; readonly export?: unknown } & { readonly [knob: string]: unknown };

/** The file that a task of the package is made of; undefined: it is of none. */
export function innerFile({ name, of }: Plugin): InnerFile | undefined {
  const inner = (typeof of === 'string' ? { task: of } : of) as Partial<InnerFile> | null | undefined;
  if (typeof inner?.task !== 'string' || !isModuleFile(inner.task) || isModuleFile(name)) return undefined;
  return inner as InnerFile;
}

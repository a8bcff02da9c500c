/** The parts of the command outside its frame. A process has one set, which `main.ts` sets before it parses. */
import type { LoadedConfig } from '../config/load.ts';
import type { Library } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import type { NamedBackend } from '../kernels/engine.ts';
import type { OpenedBase } from '../run/base.ts';
import type { OpenedModels } from '../run/models.ts';
import type { OpenConfig } from '../run/opened_config.ts';
import type { Command } from './flags/command.ts';

/** The pretrained models that a config names. */
export interface ConfiguredBase {
  /** Absent: the run begins with random weights. */
  readonly base?: OpenedBase;
  /** The further ones, by name. */
  readonly models?: OpenedModels;
  /** Names the chosen checkpoint, if a model is a run's. */
  readonly config: RunConfig;
}

export interface CommandParts {
  /** In the order of help and documentation. */
  readonly commands: readonly Command[];
  /** What `--help` prints; absent: all commands in a list. */
  readonly help?: () => string;
  /** What configs may name. */
  readonly library: Library;
  /** Makes the tasks, rewards and methods that a config names. */
  readonly openConfig: OpenConfig;
  /**
   * Opens the pretrained models that a config names; undefined if it names none. Absent: no command reads one.
   *
   * @param file  the config's
   * @param own  the directory of the run, where it has begun already
   * @throws CheckpointError, DataError, ConfigError
   */
  readonly openBase?: (loaded: LoadedConfig, file: string, own?: string) => Promise<ConfiguredBase | undefined>;
  /** Beside `wasm` and `reference`, in the order in which `auto` tries them; absent: there are none. */
  readonly backends?: readonly NamedBackend[];
}

let given: CommandParts | undefined;

/** To be called once, before the command reads its words. */
export function useParts(parts: CommandParts): void {
  given = parts;
}

export function commandParts(): CommandParts {
  if (given === undefined) throw new RangeError('the command was started without its parts');
  return given;
}

export function library(): Library {
  return commandParts().library;
}

/** Opens a config's pretrained models, and completes the config that a run records; as `CommandParts.openBase`. */
export async function withBase<L extends LoadedConfig>(
  loaded: L,
  file: string,
  own?: string,
): Promise<{ readonly loaded: L } & Omit<ConfiguredBase, 'config'>> {
  const { modelNameOrPath, models } = loaded.config;
  const value = modelNameOrPath ?? models;
  if (value === undefined) return { loaded };
  const { openBase } = commandParts();
  if (openBase === undefined) {
    const path = modelNameOrPath === undefined ? 'models' : 'model_name_or_path';
    loaded.problems.add(path, value, 'this command reads no pretrained models; leave it out');
    loaded.problems.throwIfAny();
  }
  const opened = await openBase?.(loaded, file, own);
  if (opened === undefined) return { loaded };
  const { config, ...named } = opened;
  return { ...named, loaded: { ...loaded, config } };
}

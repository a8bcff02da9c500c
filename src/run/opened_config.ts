/** A config whose names were resolved to tasks, rewards and methods, ready to open a run. */
import { withWordsOf } from '../config/control_words.ts';
import type { LoadedConfig } from '../config/load.ts';
import { withSteps } from '../config/passes.ts';
import type { Registries } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import { createTasks } from '../data/create_task.ts';
import type { TaskSet } from '../data/task_set.ts';
import type { AnswerFiles } from '../http/servers.ts';
import type { OwnMethods } from '../methods/method_list.ts';
import type { OwnRewards } from '../rewards/reward_list.ts';
import type { Codec } from '../text/codec.ts';
import type { Tracker } from './tracker.ts';

/** An export of a file of the user's. */
export interface ModuleReference {
  /** Absolute. */
  readonly path: string;
  /** As messages show it: from the working directory, where it lies below. */
  readonly shown: string;
  /** Undefined: the default export. */
  readonly export: string | undefined;
}

/** A file of the user's that a config names. */
export interface FoundFile {
  /** As the config names it. */
  readonly name: string;
  /** The key of the config that names it, for `Problems`. */
  readonly place: string;
  /** `reporter`: it receives the events of the run, and decides nothing. */
  readonly role: 'training' | 'reporter';
  /** It was typed after `--set`. */
  readonly isTyped: boolean;
  readonly reference: ModuleReference;
  /** Its name in the run's config. */
  readonly inRun: string;
  /** Local files that it imports: absolute paths. */
  readonly imported: readonly string[];
  /** SHA-256 by name in the run's config, of the file and of those that it imports. */
  readonly hashes: readonly (readonly [string, string])[];
}

/** A permission that a config needs besides running code: to contact a server, or to read rows of another folder. */
export interface Ask {
  /** What the user approves: a host, `VARIABLE@host`, or a file's path. */
  readonly name: string;
  /** What would happen, for people. */
  readonly does: string;
  /** The config key that needs it, for `Problems`. */
  readonly place: string;
  /** It was typed on the command line. */
  readonly isTyped: boolean;
  /** The file to read, if it is one. */
  readonly path?: string;
}

/** Where to find a config's own files, and whom to ask before running them. */
export interface OpenOptions {
  /** The config's file: paths in it are relative to its folder. */
  readonly file: string;
  /** The run directory: paths in the returned config are relative to it, so that its config.yaml runs as it is. */
  readonly directory?: string;
  /** Called with each file before it is loaded: it is code, and runs with the rights of this process. */
  readonly announce: (file: string) => void;
  /**
   * Called with all files before any is loaded, and with all other permissions before any is used; throws to refuse
   * one.
   */
  readonly approve?: (files: readonly FoundFile[], asks: readonly Ask[]) => Promise<void>;
  /**
   * 'unused': the run is only evaluated or sampled; its rewards are not loaded, nor, with a pretrained model, its
   * methods.
   */
  readonly rewards?: 'unused';
  /** Codec of the pretrained model that the config names, which the caller has opened. */
  readonly codec?: Codec | undefined;
  /** Servers' recorded answers of the resumed run, by task number. */
  readonly answers?: ((task: number) => AnswerFiles) | undefined;
}

/** A resolved config. `close` ends what was started for it. */
export interface OpenedConfig {
  /** The config, with files named from the run directory. */
  readonly config: RunConfig;
  readonly tasks: TaskSet;
  /** For `openRun`. */
  readonly rewards: OwnRewards | 'unused';
  /** For `openRun`. */
  readonly methods: OwnMethods;
  /** Lists that the config's names are looked up in, its own methods included. */
  readonly registries: Registries;
  /** SHA-256 of each file by its name in `config`, and of the local files that it imports: for the fingerprint. */
  readonly modules: Readonly<Record<string, string>>;
  /** For `session`. */
  readonly reporters: readonly Tracker[];
  /** Remarks on the rows of data sets, and on files that spell options the old way. */
  readonly notes: readonly string[];
  /** Ends the threads of rewards, reporters and verdicts. */
  close(): Promise<void>;
}

/** @throws ConfigError with every name, option or file that is wrong, one per line: `file:line  key: value — rule; remedy.` */
export type OpenConfig = (loaded: LoadedConfig, options: OpenOptions) => Promise<OpenedConfig>;

/** Opens a config that names no file of the user's. */
export const openNamed: OpenConfig = async ({ config, registries }, { codec, rewards = {} }) => {
  const tasks = await createTasks(config, registries.tasks, { codec });
  return {
    config: withSteps(config, tasks),
    tasks: withWordsOf(config, tasks, registries.methods),
    rewards,
    methods: {},
    registries,
    modules: {},
    reporters: [],
    notes: [],
    close: async () => {},
  };
};

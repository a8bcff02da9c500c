/**
 * What a run begins with where its weights are not random. The core reads no pretrained model: who opens a run hands over one that
 * is open, as `packages/models` opens it.
 */
import type { RunConfig } from '../config/run_config.ts';
import { ConfigError } from '../errors.ts';
import type { BaseModel } from '../grpo/run.ts';
import type { Policy } from '../model/policy.ts';
import type { Codec } from '../text/codec.ts';
import type { ReadableFiles } from './store/store.ts';

/** A pretrained model that is open: its weights are read when a policy takes them. */
export interface OpenedBase {
  /** As it was written, for messages. */
  readonly name: string;
  readonly codec: Codec;
  /** What is said before the first step. */
  readonly notes: readonly string[];
  /** Where it lies. */
  readonly place: { readonly files: ReadableFiles };
  /**
   * The same config with what the model's files say: the shape, and of an adapter rank, alpha and modules.
   *
   * @throws ConfigError for a key of the model or of an adapter that is not its default, and not that of the files
   */
  configured(config: RunConfig): RunConfig;
  /** @throws ConfigError where a method speaks in words that a closed vocabulary has no row for */
  requireWords(tasks: { readonly codec: Codec }): void;
  /** Reads the weights into a policy. @throws CheckpointError where they are not those of the config */
  loadWeights(policy: Pick<Policy, 'parameters' | 'writeParameter'>): Promise<void>;
  /** Reads its adapter into a policy, where it was opened with one. @throws CheckpointError where the two do not fit */
  loadAdapter(policy: Pick<Policy, 'adapterParameters' | 'writeParameter'>): Promise<void>;
  /** What a run keeps of it: a pass over all of its files. */
  recorded(): Promise<BaseModel>;
}

/** @throws ConfigError where a config names a model and none was opened, or the other way round */
export function requireBase({ modelNameOrPath: path }: RunConfig, base: OpenedBase | undefined): void {
  if ((path === undefined) === (base === undefined)) return;
  const rule =
    path === undefined
      ? 'a pretrained model was opened, and the config names none; add the key'
      : 'openRun needs the model opened; give it openPretrained(findModel(path)), and its codec to createTasks';
  const message = `model_name_or_path: ${path === undefined ? 'missing' : JSON.stringify(path)} — ${rule}.`;
  throw new ConfigError('pretrained', message, { path: 'model_name_or_path' });
}

/** SHA-256 of the files of a base, by their names. They decide the bits of a run as its own config does. */
export type BaseHashes = Readonly<Record<string, string>>;

/** Files that differ, with both hashes shortened: `model.safetensors (SHA-256 1f3a5c7e → 90ab12cd)`. */
export function changedFiles(before: BaseHashes, after: BaseHashes): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const short = (hash: string | undefined): string => hash?.slice(0, 8) ?? 'absent';
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} (SHA-256 ${short(before[name])} → ${short(after[name])})`);
}

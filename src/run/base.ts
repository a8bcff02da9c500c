/**
 * The pretrained model that a run begins with. The core opens none itself: the caller passes one that is open, as
 * `packages/models` opens it.
 */
import type { RunConfig } from '../config/run_config.ts';
import { ConfigError } from '../errors.ts';
import type { BaseModel } from '../grpo/run.ts';
import type { Policy } from '../model/policy.ts';
import type { Codec } from '../text/codec.ts';
import type { ReadableFiles } from './store/store.ts';

/** An open pretrained model: its weights are read when a policy loads them. */
export interface OpenedBase {
  /** As it was written, for messages. */
  readonly name: string;
  readonly codec: Codec;
  /** Notes shown before the first step. */
  readonly notes: readonly string[];
  /** Where it lies. */
  readonly place: { readonly files: ReadableFiles };
  /**
   * Completes the config from the model's files: shape, and an adapter's rank, alpha and modules.
   *
   * @throws ConfigError for a key of model or adapter that is neither its default nor the files' value
   */
  configured(config: RunConfig): RunConfig;
  /** @throws ConfigError if a method prompts in words that a closed vocabulary lacks */
  requireWords(tasks: { readonly codec: Codec }): void;
  /** Reads the weights into a policy. @throws CheckpointError if they do not match the config */
  loadWeights(policy: Pick<Policy, 'parameters' | 'writeParameter'>): Promise<void>;
  /** Reads its adapter, if any, into a policy. @throws CheckpointError if they do not fit */
  loadAdapter(policy: Pick<Policy, 'adapterParameters' | 'writeParameter'>): Promise<void>;
  /** What a run records of it; reads all of its files. */
  recorded(): Promise<BaseModel>;
}

/** @throws ConfigError if a config names a model and none was opened, or vice versa */
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

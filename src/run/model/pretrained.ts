/**
 * A pretrained model that was opened. ./open_pretrained.ts opens one, and ./use_pretrained.ts makes a run of it: both are
 * loaded where there is such a model, since most pages have none.
 */
import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError, ConfigError } from '../../errors.ts';
import type { BaseName } from '../../model/pretrained/adapter_config.ts';
import type { Adapter } from '../../model/pretrained/adapter_files.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';
import type { Codec } from '../../text/codec.ts';
import type { BaseHashes } from './base_hashes.ts';

/** Where a model lies: a folder of Hugging Face's layout, or a GGUF file in one. */
export interface ModelPlace {
  /** As it was written, for messages. */
  readonly name: string;
  readonly files: ModelFiles;
  /** The file in the folder, where it is a GGUF file. */
  readonly gguf?: string;
  /** Where other programs find it. */
  readonly location?: BaseName;
  /** The checkpoint that the weights are of, where `files` are those of a run. */
  readonly checkpoint?: CheckpointPlace;
  /** The folder of an adapter to add to the model. */
  readonly adapter?: Pick<ModelPlace, 'name' | 'files' | 'checkpoint'>;
}

/** A checkpoint of a run whose weights are a start. */
export interface CheckpointPlace {
  /** From the run's directory, as `checkpoints/grpo-300`. */
  readonly path: string;
  /** It was not named: it is the newest of the run that was. */
  readonly isChosen: boolean;
}

/** A pretrained model that was opened: what it is, its tokenizer, and where its weights lie. */
export interface Pretrained {
  /** As it was written, for messages. */
  readonly name: string;
  readonly place: ModelPlace;
  readonly model: PretrainedModel;
  readonly codec: Codec;
  /** The adapter to the model's weights, where one was opened. */
  readonly adapter?: Adapter;
  readonly location: BaseName;
  /** What is said before the first step. */
  readonly notes: readonly string[];
  /** SHA-256 of the files that it was opened from: a pass over all of them. */
  hashes(): Promise<BaseHashes>;
}

/** @throws ConfigError where a config names a model and none was opened, or the other way round */
export function requirePretrained({ modelNameOrPath: path }: RunConfig, pretrained: Pretrained | undefined): void {
  if ((path === undefined) === (pretrained === undefined)) return;
  const rule =
    path === undefined
      ? 'a pretrained model was opened, and the config names none; add the key'
      : 'openRun needs the model opened; give it openPretrained(findModel(path)), and its codec to createTasks';
  const message = `model_name_or_path: ${path === undefined ? 'missing' : JSON.stringify(path)} — ${rule}.`;
  throw new ConfigError('pretrained', message, { path: 'model_name_or_path' });
}

/** Errors name files within the model; this says which model. */
export function withPlace({ name, gguf }: Pick<ModelPlace, 'name' | 'gguf'>, error: unknown): unknown {
  if (!(error instanceof CheckpointError)) return error;
  const { code, facts, message } = error;
  const isNamed = gguf !== undefined && message.startsWith(`${gguf}: `);
  const placed = isNamed ? name + message.slice(gguf.length) : `${name}: ${message}`;
  return new CheckpointError(code, placed, { ...facts, model: name });
}

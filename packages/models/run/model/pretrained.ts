/** A pretrained model that was opened. ./open_pretrained.ts opens one, and ./as_base.ts makes a run of it. */
import { CheckpointError } from '../../../../src/errors.ts';
import type { BaseName } from '../../../../src/model/adapter_config.ts';
import type { BaseHashes, OpenedBase } from '../../../../src/run/base.ts';
import type { Adapter } from '../../model/pretrained/adapter_files.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';

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
export interface Pretrained extends OpenedBase {
  readonly place: ModelPlace;
  readonly model: PretrainedModel;
  /** The adapter to the model's weights, where one was opened. */
  readonly adapter?: Adapter;
  readonly location: BaseName;
  /** SHA-256 of the files that it was opened from: a pass over all of them. */
  hashes(): Promise<BaseHashes>;
}

/** Errors name files within the model; this says which model. */
export function withPlace({ name, gguf }: Pick<ModelPlace, 'name' | 'gguf'>, error: unknown): unknown {
  if (!(error instanceof CheckpointError)) return error;
  const { code, facts, message } = error;
  const isNamed = gguf !== undefined && message.startsWith(`${gguf}: `);
  const placed = isNamed ? name + message.slice(gguf.length) : `${name}: ${message}`;
  return new CheckpointError(code, placed, { ...facts, model: name });
}

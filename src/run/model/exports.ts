/** The forms in which a model is given away: each writes it, opens what was written, and says what its type changed. */
import { CheckpointError } from '../../errors.ts';
import { openAdapter } from '../../model/pretrained/adapter_files.ts';
import { openGgufAdapter } from '../../model/pretrained/gguf_adapter.ts';
import type { GgufDtype } from '../../model/pretrained/gguf_encoders.ts';
import type { ModelFiles } from '../../model/pretrained/source.ts';
import type { Store } from '../store/store.ts';
import type { WeightChange } from './compare_weights.ts';
import { folderOf, merged, openPretrained, type Pretrained } from './pretrained.ts';
import { writeAdapterFolder } from './write_adapter.ts';
import { writeGguf } from './write_gguf.ts';
import { writeGgufAdapter } from './write_gguf_adapter.ts';
import { writeMergedModel } from './write_merged.ts';

/** What was written, opened again. */
export interface Exported {
  readonly change: WeightChange;
  /** The model that it is, beside its base where it is an adapter. */
  readonly opened: Pretrained;
}

/** @property texts  to be read to the same tokens by what was written */
export interface ExportRequest<Dtype> {
  readonly pretrained: Pretrained;
  readonly dtype: Dtype;
  readonly texts: readonly string[];
}

interface ExportForm<Dtype extends GgufDtype> {
  readonly does: string;
  readonly kind: 'file' | 'folder';
  /** The first is the default. */
  readonly dtypes: readonly [Dtype, ...Dtype[]];
  /** @param place  of the store; nothing is there yet @throws CheckpointError, DataError */
  write(store: Store & ModelFiles, place: string, request: ExportRequest<Dtype>): Promise<Exported>;
}

const form = <Dtype extends GgufDtype>(declared: ExportForm<Dtype>): ExportForm<Dtype> => declared;

/** By their names on the command line. */
export const EXPORTS = {
  merged: form({
    does: 'a folder for transformers, with the adapter merged',
    kind: 'folder',
    dtypes: ['f32', 'f16', 'bf16'],
    async write(store, folder, { pretrained, dtype }) {
      const change = await writeMergedModel(store, folder, merged(pretrained), dtype);
      return { change, opened: await openPretrained({ name: pretrained.name, files: folderOf(store, folder) }) };
    },
  }),
  peft: form({
    does: 'the adapter alone, a folder for PEFT',
    kind: 'folder',
    dtypes: ['f32', 'f16', 'bf16'],
    async write(store, folder, { pretrained, dtype }) {
      const adapter = adapterOf(pretrained);
      const change = await writeAdapterFolder(store, folder, { ...pretrained, adapter }, dtype);
      return { change, opened: { ...pretrained, adapter: await openAdapter(folderOf(store, folder)) } };
    },
  }),
  gguf: form({
    does: 'a file for llama.cpp and Ollama, with the adapter merged',
    kind: 'file',
    dtypes: ['f16', 'f32', 'bf16', 'q8_0'],
    async write(store, file, { pretrained, dtype, texts }) {
      const change = await writeGguf(store, file, merged(pretrained), dtype, texts);
      return { change, opened: await openPretrained({ name: pretrained.name, files: store, gguf: file }) };
    },
  }),
  'gguf-lora': form({
    does: 'the adapter alone, a file that llama.cpp adds to its base',
    kind: 'file',
    dtypes: ['f16', 'f32', 'bf16'],
    async write(store, file, { pretrained, dtype }) {
      const adapter = adapterOf(pretrained);
      const change = await writeGgufAdapter(store, file, { ...pretrained, adapter }, dtype);
      return { change, opened: { ...pretrained, adapter: await openGgufAdapter(store, file, pretrained.model.shape) } };
    },
  }),
} as const;

export type ExportTarget = keyof typeof EXPORTS;

/** @throws CheckpointError `no-adapter` */
function adapterOf({ adapter, name }: Pretrained): NonNullable<Pretrained['adapter']> {
  if (adapter !== undefined) return adapter;
  throw new CheckpointError('no-adapter', `${name} — has no adapter; it is a whole model as it is.`);
}

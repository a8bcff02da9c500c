/**
 * The forms in which a model is given away: each writes it, opens what was written, and says what its type changed. Its code
 * is loaded when it writes, so that help can name the forms without it.
 */
import { CheckpointError } from '../../../../src/errors.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import type { GgufDtype } from '../../model/pretrained/gguf_encoders.ts';
import type { ModelFiles } from '../../model/pretrained/source.ts';
import type { Exported } from './compare_weights.ts';
import type { Pretrained } from './pretrained.ts';

/** Types in which weights are written, by their names on the command line; q4f16: matrices in 4 bits, the embedding in 16. */
export type ExportDtype = GgufDtype | 'q4f16';

export interface ExportRequest<Dtype> {
  readonly pretrained: Pretrained;
  readonly dtype: Dtype;
}

interface ExportForm<Dtype extends ExportDtype> {
  readonly does: string;
  readonly kind: 'file' | 'folder';
  /** The first is the default. */
  readonly dtypes: readonly [Dtype, ...Dtype[]];
  /** @param place  of the store; nothing is there yet @throws CheckpointError, DataError */
  write(store: Store & ModelFiles, place: string, request: ExportRequest<Dtype>): Promise<Exported>;
}

const form = <Dtype extends ExportDtype>(declared: ExportForm<Dtype>): ExportForm<Dtype> => declared;

/** By their names on the command line. */
export const EXPORTS = {
  merged: form({
    does: 'a folder for transformers, with the adapter merged',
    kind: 'folder',
    dtypes: ['f32', 'f16', 'bf16'],
    write: async (store, folder, { pretrained, dtype }) => {
      const { writeMergedModel } = await import('./write_merged.ts');
      return writeMergedModel(store, folder, await merged(pretrained), dtype);
    },
  }),
  peft: form({
    does: 'the adapter alone, a folder for PEFT',
    kind: 'folder',
    dtypes: ['f32', 'f16', 'bf16'],
    write: async (store, folder, { pretrained, dtype }) => {
      const { writeAdapterFolder } = await import('./write_adapter.ts');
      return writeAdapterFolder(store, folder, adapted(pretrained), dtype);
    },
  }),
  gguf: form({
    does: 'a file for llama.cpp and Ollama, with the adapter merged',
    kind: 'file',
    dtypes: ['f16', 'f32', 'bf16', 'q8_0', 'q4_0'],
    write: async (store, file, { pretrained, dtype }) => {
      const { writeGguf } = await import('./write_gguf.ts');
      return writeGguf(store, file, await merged(pretrained), dtype);
    },
  }),
  'gguf-lora': form({
    does: 'the adapter alone, a file that llama.cpp adds to its base',
    kind: 'file',
    dtypes: ['f16', 'f32', 'bf16'],
    write: async (store, file, { pretrained, dtype }) => {
      const { writeGgufAdapter } = await import('./write_gguf_adapter.ts');
      return writeGgufAdapter(store, file, adapted(pretrained), dtype);
    },
  }),
  onnx: form({
    does: 'a folder for transformers.js and onnxruntime, with the adapter merged',
    kind: 'folder',
    dtypes: ['f32', 'f16', 'q4f16'],
    write: async (store, folder, { pretrained, dtype }) => {
      const { writeOnnx } = await import('./write_onnx.ts');
      return writeOnnx(store, folder, await merged(pretrained), dtype);
    },
  }),
} as const;

export type ExportTarget = keyof typeof EXPORTS;

/** @throws CheckpointError `no-adapter` */
function adapted(pretrained: Pretrained): Pretrained & Required<Pick<Pretrained, 'adapter'>> {
  const { adapter, name } = pretrained;
  if (adapter !== undefined) return { ...pretrained, adapter };
  throw new CheckpointError('no-adapter', `${name} — has no adapter; it is a whole model as it is.`);
}

async function merged(pretrained: Pretrained): Promise<Pretrained> {
  return (await import('./open_pretrained.ts')).merged(pretrained);
}

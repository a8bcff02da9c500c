/** An adapter by itself as one GGUF file, which llama.cpp adds to a base model of the same architecture. */
import { CheckpointError } from '../../../../src/errors.ts';
import { adapterScale } from '../../../../src/model/adapter_config.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import {
  ADAPTER_ALPHA,
  ADAPTER_METADATA,
  adapterHeadRows,
  ggufAdapterName,
  openGgufAdapter,
} from '../../model/pretrained/gguf_adapter.ts';
import { GGUF_ENCODERS } from '../../model/pretrained/gguf_encoders.ts';
import { type GgufEntry, ggufHead, padding } from '../../model/pretrained/gguf_head.ts';
import type { ModelFiles } from '../../model/pretrained/source.ts';
import { compareWeights, type Exported } from './compare_weights.ts';
import type { Pretrained } from './pretrained.ts';
import { ggufArchitecture, ggufValues } from './write_gguf.ts';

/** Types of its weights, by their names on the command line: blocks do not fit into rows of r elements. */
export type GgufAdapterDtype = 'f32' | 'f16' | 'bf16';

/**
 * Writes the file, opens it again, and compares every weight. Not atomic.
 *
 * @param file  of the store; nothing is there yet
 * @throws CheckpointError where the adapter has no form in GGUF, or was not written as it is
 */
export async function writeGgufAdapter(
  store: Store & ModelFiles,
  file: string,
  pretrained: Pretrained & Required<Pick<Pretrained, 'adapter'>>,
  dtype: GgufAdapterDtype,
): Promise<Exported> {
  const {
    adapter,
    model: { shape },
    name,
  } = pretrained;
  if (adapter.config.useDora) {
    const rule = 'a GGUF adapter holds A and B, and this one has magnitudes (use_dora)';
    throw new CheckpointError('no-gguf', `${name}: ${rule}; use --to gguf or merged, which merge it, or --to peft.`);
  }
  const type = ggufArchitecture(shape, name);
  const encoder = GGUF_ENCODERS[dtype];
  const tensors = [...adapter.tensors].map(([source, tensor]) => {
    const written = ggufAdapterName(source);
    if (written === undefined) {
      throw new CheckpointError('no-gguf', `${name}: ${source} has no place in a GGUF file; use --to peft.`);
    }
    return { name: written, shape: tensor.shape, type: encoder.type, source, tensor };
  });
  const metadata = new Map<string, GgufEntry>([
    ['general.architecture', type],
    ...Object.entries(ADAPTER_METADATA),
    ['general.name', name],
    ['general.file_type', encoder.fileType],
    ['general.quantization_version', 2],
    // What llama.cpp divides by r, whatever the scale was made of.
    [ADAPTER_ALPHA, { float32: adapterScale(adapter.config) * adapter.config.rank }],
  ]);
  await store.append(file, ggufHead(metadata, tensors));
  for (const { name: written, tensor } of tensors) {
    const bytes = encoder.encode(await ggufValues(tensor, adapterHeadRows(type, written, shape)));
    await store.append(file, bytes);
    await store.append(file, padding(bytes.length));
  }
  await store.sync(file);
  const opened = await openGgufAdapter(store, file, shape);
  const listed = tensors.map(({ source }) => ({ name: source, encoder }));
  const change = await compareWeights(name, listed, { own: adapter.tensors, opened: opened.tensors });
  return { change, opened: { ...pretrained, adapter: opened } };
}

/**
 * An adapter in a GGUF file, as llama.cpp adds it to a base model: W' = W + (alpha / r)·B·A.
 *
 *   general.type "adapter", adapter.type "lora", adapter.lora.alpha; general.architecture is the base's
 *   <tensor of the base>.lora_a  [r, in]
 *   <tensor of the base>.lora_b  [out, r], its rows in the order of the base's
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/convert_lora_to_gguf.py
 */
import { ADAPTER_TARGETS } from '../../../../src/model/adapter.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import type { Adapter } from './adapter_files.ts';
import { readGguf } from './gguf_file.ts';
import { tensorAt } from './gguf_model.ts';
import { ggufName, huggingFaceName, isPermuted } from './gguf_names.ts';
import { type ModelFiles, type PretrainedTensor, unsupported } from './source.ts';

/** Matrices, which alone have adapters, have the same names in every architecture. */
const ANY = 'llama';

/** Keys of the metadata, and what they say of every such file. */
export const ADAPTER_METADATA = { 'general.type': 'adapter', 'adapter.type': 'lora' } as const;
export const ADAPTER_ALPHA = 'adapter.lora.alpha';

/** A or B of a module, by its name here, as `model.layers.0.self_attn.q_proj.lora_A.weight`; undefined where it is none. */
export function ggufAdapterName(name: string): string | undefined {
  const [, module, part] = /^(.+)\.lora_([AB])\.weight$/.exec(name) ?? [];
  const base = module && ggufName(ANY, `${module}.weight`);
  return base && `${base}.lora_${part?.toLowerCase()}`;
}

/** Rows of a head, where llama.cpp holds the rows of B in its own order. @param name  in the GGUF file */
export function adapterHeadRows(architecture: string, name: string, { headDim }: ModelShape): number | undefined {
  const isOfRows = name.endsWith('.lora_b') && isPermuted(architecture, name.slice(0, -'.lora_b'.length));
  return isOfRows ? headDim : undefined;
}

/**
 * Reads the header alone.
 *
 * @param shape  of the base
 * @throws CheckpointError where it is damaged, no adapter of LoRA, or adapts what is not adapted here
 */
export async function openGgufAdapter(files: ModelFiles, file: string, shape: ModelShape): Promise<Adapter> {
  const gguf = await readGguf(files, file);
  const { metadata } = gguf;
  for (const [key, value] of Object.entries(ADAPTER_METADATA)) {
    if (metadata.get(key) === value) continue;
    throw unsupported(`${file}: ${key} ${JSON.stringify(metadata.get(key))}`, `an adapter of LoRA has ${value}`);
  }
  const [architecture, alpha] = [String(metadata.get('general.architecture')), metadata.get(ADAPTER_ALPHA)];
  if (typeof alpha !== 'number' || !(alpha > 0)) {
    throw unsupported(`${file}: ${ADAPTER_ALPHA} ${JSON.stringify(alpha)}`, 'must be a number above 0');
  }
  const tensors = new Map<string, PretrainedTensor>();
  for (const [name, tensor] of gguf.tensors) {
    const [, base, part] = /^(.+\.weight)\.lora_([ab])$/.exec(name) ?? [];
    const own = base && huggingFaceName(ANY, base).replace(/\.weight$/, '');
    const isKnown = ADAPTER_TARGETS.some((target) => own?.endsWith(`.${target}`));
    if (!isKnown)
      throw unsupported(`${file}: tensor ${name}`, `only A and B of ${ADAPTER_TARGETS.join(', ')} are read`);
    const headRows = adapterHeadRows(architecture, name, shape);
    tensors.set(`${own}.lora_${part?.toUpperCase()}.weight`, tensorAt(files, file, gguf, name, tensor, headRows));
  }
  const names = [...tensors.keys()];
  const rank = tensors.get(names.find((name) => name.endsWith('.lora_A.weight')) ?? '')?.shape[0];
  if (rank === undefined) throw unsupported(file, 'it holds no tensors of an adapter');
  const targets = ADAPTER_TARGETS.filter((target) => names.some((name) => name.includes(`.${target}.lora_`)));
  return { config: { rank, alpha, useRslora: false, targets }, baseSha256: undefined, tensors, notes: [] };
}

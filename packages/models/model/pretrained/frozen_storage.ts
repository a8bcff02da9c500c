/**
 * How each frozen matrix of a pretrained model is kept, by what is asked for and what its file has: nothing that lies in
 * blocks is rounded a second time.
 */
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { ConfigError } from '../../../../src/errors.ts';
import { isOfFiles, STORAGE, type Storage } from '../../../../src/kernels/storage.ts';
import { isDerived } from './load_weights.ts';
import type { PretrainedModel, PretrainedTensor } from './source.ts';

/** What a config asks for. */
export interface FrozenDtype {
  readonly dtype: 'float32' | 'bfloat16' | 'float16' | 'auto';
  readonly loadIn8bit: boolean;
  readonly loadIn4bit: boolean;
}

/** Tensors that are not kept in float32, by name. Plain JSON. */
type FrozenStorage = NonNullable<RunConfig['frozenStorage']>;

const IN_DTYPE = { float32: 'f32', bfloat16: 'bf16', float16: 'f16' } as const satisfies Record<string, Storage>;

/** Modules whose matrices are one (`parameters.ts`). */
const FUSED = [/\b[qkv]_proj\b/, /\b(?:gate|up)_proj\b/];

/** Read by row, or by the vocabulary: more is lost by rounding them than a layer. */
const TABLES: ReadonlySet<string> = new Set(['model.embed_tokens.weight', 'lm_head.weight']);

/** @throws ConfigError where 4 bits are asked for of what lies in 8 */
export function frozenStorage(asked: FrozenDtype, model: Pick<PretrainedModel, 'shape' | 'tensors'>): FrozenStorage {
  const matrices = [...model.tensors].filter(([name, { shape }]) => shape.length === 2 && !isDerived(name, model));
  const wanted = new Map(matrices.map(([name, tensor]) => [name, storageOf(asked, name, tensor)]));
  const entries = [...wanted].map(([name, storage]) => {
    const fused = FUSED.find((pattern) => pattern.test(name));
    const parts = [...wanted].filter(([other]) => fused && other.replace(fused, '') === name.replace(fused, ''));
    return [name, parts.every(([, own]) => own === storage) ? storage : 'f32'] as const;
  });
  return Object.fromEntries(entries.filter(([, storage]) => storage !== 'f32'));
}

function storageOf({ dtype, loadIn8bit, loadIn4bit }: FrozenDtype, name: string, tensor: PretrainedTensor): Storage {
  const own = tensor.stored?.storage ?? 'f32';
  const plain = dtype === 'auto' ? own : IN_DTYPE[dtype];
  if (!loadIn8bit && !loadIn4bit) return plain;
  const bits = loadIn8bit || TABLES.has(name) ? 8 : 4;
  const finer = own === 'q8_0' ? '8 bits' : isOfFiles(own) ? own.toUpperCase() : undefined;
  if (bits === 4 && finer !== undefined) {
    const rule = `${tensor.file} has ${name} in ${finer} already, which would be rounded a second time`;
    const remedy = 'use dtype: auto, which keeps it, or a file of the model in bf16 or f16';
    throw new ConfigError('rounded-twice', `load_in_4bit: true — ${rule}; ${remedy}.`, { path: 'load_in_4bit' });
  }
  if (isInBlocks(own) && !isOfFiles(own)) return own;
  const blocks = bits === 8 ? 'q8_0' : 'q4_0';
  return (tensor.shape[1] as number) % STORAGE[blocks].values === 0 ? blocks : plain;
}

function isInBlocks(storage: Storage): boolean {
  return STORAGE[storage].values > 1;
}

/** Keys of how the frozen weights beside an adapter are kept, as TRL and transformers spell them. */
import { laterKey, type Values } from '../../options/keys.ts';
import { choice, flag } from '../../options/schemas.ts';

export const BASE_KEYS = {
  dtype: laterKey(
    'dtype',
    choice(['float32', 'bfloat16', 'float16', 'auto'], 'not a type for frozen weights')
      .default('float32')
      .describe(
        'How the frozen weights beside an adapter are kept (use_peft): auto is each tensor as its file has it, the blocks of ' +
          'a GGUF file included. Arithmetic is float32 whatever they are kept in. On backends wasm, webgpu and reference.',
      ),
  ),
  loadIn8bit: laterKey(
    'load_in_8bit',
    flag()
      .default(false)
      .describe(
        'Keep frozen matrices in blocks of 8 bits (q8_0). What a GGUF file has in blocks stays as it is; what does not fit ' +
          'blocks is kept by dtype.',
      ),
  ),
  loadIn4bit: laterKey(
    'load_in_4bit',
    flag()
      .default(false)
      .describe(
        'Keep the frozen matrices of the layers in blocks of 4 bits (q4_0), embedding and head in 8 (q8_0). What a GGUF ' +
          'file has in 4 bits stays as it is.',
      ),
  ),
} as const;

/** The keys that this reads of a section. */
interface BaseSection {
  readonly values: Values<typeof BASE_KEYS> & { readonly usePeft: boolean; readonly adapterNameOrPath?: string };
  sound(...names: readonly (keyof typeof BASE_KEYS | 'usePeft')[]): boolean;
  refuse(name: keyof typeof BASE_KEYS, rule: string): void;
}

/** Weights that are trained stay float32, and a matrix is kept one way. */
export function refuseKeptOtherwise(section: BaseSection): void {
  if (!section.sound('dtype', 'loadIn8bit', 'loadIn4bit', 'usePeft')) return;
  const { dtype, loadIn8bit, loadIn4bit, usePeft, adapterNameOrPath } = section.values;
  if (loadIn8bit && loadIn4bit) section.refuse('loadIn8bit', 'load_in_4bit is given too; keep one');
  if (usePeft || adapterNameOrPath !== undefined) return;
  const rule = 'weights that are trained are float32; add use_peft: true, which freezes them, or leave it out';
  if (dtype !== 'float32') section.refuse('dtype', rule);
  if (loadIn8bit) section.refuse('loadIn8bit', rule);
  if (loadIn4bit) section.refuse('loadIn4bit', rule);
}

/**
 * What a tensor is called in a GGUF file, and in which order it holds its rows.
 *
 * llama.cpp turns neighbouring elements of a head where Hugging Face turns its halves, so files of the `llama`
 * architecture hold the rows of q and k in another order: row 2i + j of a head is Hugging Face's row j·hd/2 + i.
 */

/** Gemma 3's architecture: its files hold 1 + weight of the norms, Hugging Face's the weight. */
export const GEMMA = 'gemma3';

const LAYER_NAMES: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** Where a family has norms before and after each half of a layer. */
const GEMMA_NAMES: typeof LAYER_NAMES = {
  ...LAYER_NAMES,
  ffn_norm: 'pre_feedforward_layernorm',
  post_attention_norm: 'post_attention_layernorm',
  post_ffw_norm: 'post_feedforward_layernorm',
};

const layerNames = (architecture: string): typeof LAYER_NAMES => (architecture === GEMMA ? GEMMA_NAMES : LAYER_NAMES);

const NAMES: Readonly<Record<string, string>> = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output.weight': 'lm_head.weight',
  'output_norm.weight': 'model.norm.weight',
};

/** Divisors of the rotary frequencies, [hd/2]. */
export const ROPE_FACTORS = 'rope_freqs.weight';

/** A name that is none of theirs stays as it is, and is refused where weights are loaded. */
export function huggingFaceName(architecture: string, name: string): string {
  const match = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(name);
  const part = match && layerNames(architecture)[match[2]];
  return part ? `model.layers.${match[1]}.${part}.${match[3]}` : (NAMES[name] ?? name);
}

const GGUF_NAMES = inverse(NAMES);

/** Undefined where a GGUF file has no name for the tensor. */
export function ggufName(architecture: string, name: string): string | undefined {
  const match = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name);
  if (match === null) return GGUF_NAMES.get(name);
  const part = inverse(layerNames(architecture)).get(match[2]);
  return part && `blk.${match[1]}.${part}.${match[3]}`;
}

function inverse(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([gguf, own]) => [own, gguf]));
}

/** What a GGUF file adds to the weights of a tensor. @param name  the tensor's in the file */
export function offsetInGguf(architecture: string, name: string): number {
  return architecture === GEMMA && name.endsWith('_norm.weight') ? 1 : 0;
}

/** Whether the rows of a head come in llama.cpp's order. @param name  the tensor's in the GGUF file */
export function isPermuted(architecture: string, name: string): boolean {
  return architecture === 'llama' && /\.attn_[qk]\.(weight|bias)$/.test(name);
}

/** Where Hugging Face has a row of llama.cpp's. @param headRows  rows of a head */
export function rowOfHuggingFace(row: number, headRows: number): number {
  const inHead = row % headRows;
  return row - inHead + (inHead % 2) * (headRows / 2) + Math.floor(inHead / 2);
}

"""gguf/<name>.gguf: tiny models as llama.cpp's converter lays them out, and what transformers reads of them.

Needs the package `gguf` (0.19.0) beside the others. `weights.json` holds, by file and tensor, the SHA-256 of the
float32 values that transformers dequantises, its rows of q and k in Hugging Face's order.
"""

import hashlib
import json
import shutil

import numpy as np
import torch
from golden_common import HERE, versions
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, quants

OUT = HERE / "gguf"
SIZES = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=64, vocab_size=13, max_position_embeddings=64)
TYPES = {name: getattr(GGMLQuantizationType, name) for name in ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1")}
FILES = {f"llama_{name}": ("llama", name) for name in TYPES} | {"qwen2_F16": ("qwen2", "F16"), "qwen3_Q8_0": ("qwen3", "Q8_0"), "gemma3_BF16": ("gemma3", "BF16")}
PARTS = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
         "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
         "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
GEMMA_PARTS = PARTS | {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
                       "post_feedforward_layernorm": "post_ffw_norm"}
CLASSES = {"llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma3": "Gemma3"}
WHOLE = {"model.embed_tokens.weight": "token_embd.weight", "lm_head.weight": "output.weight",
         "model.norm.weight": "output_norm.weight"}


def gguf_name(arch, name):
    if name in WHOLE:
        return WHOLE[name]
    _, _, layer, *part, kind = name.split(".")
    parts = GEMMA_PARTS if arch == "gemma3" else PARTS
    return f"blk.{layer}.{parts['.'.join(part)]}.{kind}"


def permuted(weight, heads):
    """Halves of a head beside each other, as llama.cpp turns them."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def build(arch, seed):
    import transformers

    cls = CLASSES[arch]
    own = {"head_dim": 8} if arch != "qwen2" else {}
    kind = "TextConfig" if arch == "gemma3" else "Config"
    config = getattr(transformers, f"{cls}{kind}")(**SIZES, **own, tie_word_embeddings=arch in ("qwen2", "gemma3"))
    model = getattr(transformers, f"{cls}ForCausalLM")(config).float()
    gen = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            z = torch.randn(p.shape, generator=gen)
            one = 0 if arch == "gemma3" else 1
            p.copy_(one + 0.2 * z if name.endswith("norm.weight") else 0.3 * z)
    return model


def write(path, arch, kind, model):
    writer = GGUFWriter(path, arch)
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(13)
    if arch == "gemma3":
        writer.add_sliding_window(32)
    if arch in ("qwen3", "gemma3"):
        writer.add_key_length(8)
        writer.add_value_length(8)
    writer.add_file_type(LlamaFileType.ALL_F32)
    for name, p in model.named_parameters():
        data = p.detach().numpy()
        if arch == "llama" and name.endswith(("q_proj.weight", "k_proj.weight")):
            data = permuted(data, 4 if "q_proj" in name else 2)
        if arch == "gemma3" and name.endswith("norm.weight"):
            data = data + 1  # llama.cpp multiplies by it as it is
        # vectors stay F32, as in every file of llama.cpp's
        as_type = TYPES[kind] if data.ndim == 2 else GGMLQuantizationType.F32
        writer.add_tensor(gguf_name(arch, name), quants.quantize(np.ascontiguousarray(data), as_type), raw_dtype=as_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read(path, arch, config):
    import transformers

    cls = CLASSES[arch]
    model = getattr(transformers, f"{cls}ForCausalLM").from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, config=config  # of itself it reads no key_length
    )
    return {name: hashlib.sha256(p.detach().contiguous().numpy().astype("<f4").tobytes()).hexdigest()
            for name, p in model.named_parameters()}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    models = {arch: build(arch, seed) for seed, arch in enumerate(("llama", "qwen2", "qwen3", "gemma3"), 31)}
    hashes = {}
    for name, (arch, kind) in FILES.items():
        path = OUT / f"{name}.gguf"
        write(path, arch, kind, models[arch])
        hashes[name] = read(path, arch, models[arch].config)
        print(path.name, path.stat().st_size)
        assert path.stat().st_size < 100_000
    golden = {"about": "see make_gguf.py", "versions": versions(), "sha256": hashes}
    (OUT / "weights.json").write_text(json.dumps(golden, separators=(",", ":")).replace("},", "},\n") + "\n")


if __name__ == "__main__":
    main()

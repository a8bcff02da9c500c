"""pretrained/<model>/: checkpoints as transformers writes them, with what transformers computes from them; see README.md.

Run it once with transformers 5, which makes everything but the config.json of transformers 4; then once with
transformers 4 and `--spelling 4` for those. Weights are numbers that F16 and BF16 hold exactly, so that one set of
expected numbers stands for all of a model's files.
"""

import json
import shutil
import sys
from pathlib import Path

import torch
from golden_common import HERE, loss_logits, make_batch, patch_float64, score, tensor, versions

OUT = HERE / "pretrained"
TEMPERATURE = 0.7
COMMON = dict(
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=24,
    vocab_size=13,
    max_position_embeddings=64,
    bos_token_id=1,
    eos_token_id=2,
)
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
# Class, keys, and theta: transformers 4 and 5 spell the rotation differently.
MODELS = {
    "llama_tied": ("Llama", dict(tie_word_embeddings=True, rms_norm_eps=1e-5), 10000.0, None),
    "llama_untied": ("Llama", dict(tie_word_embeddings=False, rms_norm_eps=1e-5), 10000.0, None),
    # of four frequencies one is kept, one is between, two are divided by 8
    "llama3": ("Llama", dict(tie_word_embeddings=True, rms_norm_eps=1e-5, head_dim=8), 50.0, LLAMA3),
    "mistral": ("Mistral", dict(tie_word_embeddings=False, rms_norm_eps=1e-5, sliding_window=None, head_dim=6), 10000.0, None),
    "qwen2": ("Qwen2", dict(tie_word_embeddings=True, rms_norm_eps=1e-6), 1000000.0, None),
    "qwen3": ("Qwen3", dict(tie_word_embeddings=False, rms_norm_eps=1e-6, head_dim=8), 1000000.0, None),
}


def config_of(name, spelling):
    import transformers

    cls, own, theta, scaling = MODELS[name]
    rope = {"rope_type": "llama3" if scaling else "default", **(scaling or {})}
    rotation = (
        {"rope_parameters": {**rope, "rope_theta": theta}}
        if spelling == 5
        else {"rope_theta": theta, "rope_scaling": rope if scaling else None}
    )
    config = getattr(transformers, f"{cls}Config")(**COMMON, **own, **rotation)
    config.architectures = [f"{cls}ForCausalLM"]
    return config


def write_json(path, value):
    text = json.dumps(value, separators=(",", ":"), allow_nan=False) + "\n"
    assert len(text) < 100_000, (path, len(text))
    path.write_text(text)


def spelling_4():
    """config.json alone, by transformers 4."""
    for name in MODELS:
        config = config_of(name, 4)
        config.torch_dtype = torch.bfloat16
        write_json(OUT / name / "config.4.json", json.loads(config.to_json_string()))


def random_weights(model, seed):
    gen = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            z = torch.randn(p.shape, generator=gen).clamp(-3, 3)
            value = 1 + 0.2 * z if name.endswith("norm.weight") else 0.3 * z
            # 8 bits of mantissa, and a multiple of 2⁻¹⁴: both halves hold it
            exact = (value.bfloat16().float() * 2**14).round() / 2**14
            exact = exact.bfloat16().float()
            assert torch.equal(exact.half().float(), exact)
            p.copy_(exact)


def expected(model, vocab, seed):
    groups = make_batch(vocab, seed + 100)
    # long enough that positions pass the original context of llama3's scaling
    gen = torch.Generator().manual_seed(seed + 300)
    ids = lambda n: torch.randint(0, vocab - 2, (n,), generator=gen).tolist()
    groups.append({"prompt": ids(24), "completions": [ids(3), ids(2)]})
    n = sum(len(c) for group in groups for c in group["completions"])
    gen = torch.Generator().manual_seed(seed + 200)
    g = torch.randn(n, generator=gen, dtype=torch.float32)
    h = 0.5 * torch.randn(n, generator=gen, dtype=torch.float32)
    model = model.double()
    logits, targets = loss_logits(model, groups)
    assert logits.dtype == torch.float64
    logprob, entropy, _ = score(logits, targets, TEMPERATURE)
    s = (g.double() * logprob + h.double() * entropy).sum()
    names, params = zip(*model.named_parameters())
    grads = torch.autograd.grad(s, params)
    scores = []
    for t in (TEMPERATURE, 1.0):
        lp, en, lse = score(logits, targets, t)
        scores.append({"temperature": t, "logprob": tensor(lp), "entropy": tensor(en), "logsumexp": tensor(lse)})
    return {
        "about": "a tiny checkpoint through transformers, in float64; see README.md",
        "versions": versions(),
        "groups": groups,
        "logits": tensor(logits),
        "scores": scores,
        "backward": {
            "temperature": TEMPERATURE,
            "g": tensor(g, "f32"),
            "h": tensor(h, "f32"),
            "S": s.item(),
            "grads": {k: tensor(v.float(), "f32") for k, v in zip(names, grads)},
        },
    }


def patch_rope_with_scaling():
    """golden_common's rotation knows no scaling: here the frequencies are transformers' own, the angles float64."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    from transformers.models.llama import modeling_llama

    @torch.no_grad()
    def forward(self, x, position_ids):
        # not the module's buffer, which saving in bfloat16 has rounded
        inv_freq, attention_scaling = ROPE_INIT_FUNCTIONS["llama3"](self.config, device="cpu")
        assert attention_scaling == 1.0 and inv_freq.dtype == torch.float32
        freqs = position_ids[..., None].to(torch.float64) * inv_freq.to(torch.float64)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)

    modeling_llama.LlamaRotaryEmbedding.forward = forward


def build(name, seed):
    import transformers

    cls, _, _, scaling = MODELS[name]
    config = config_of(name, 5)
    config._attn_implementation = "eager"
    model = getattr(transformers, f"{cls}ForCausalLM")(config).float().eval()
    assert model.config._attn_implementation == "eager"
    random_weights(model, seed)
    return model, scaling


def patch_mistral():
    from transformers.models.llama import modeling_llama
    from transformers.models.mistral import modeling_mistral

    modeling_mistral.MistralRMSNorm.forward = modeling_llama.LlamaRMSNorm.forward
    modeling_mistral.MistralRotaryEmbedding.forward = modeling_llama.LlamaRotaryEmbedding.forward
    modeling_mistral.eager_attention_forward = modeling_llama.eager_attention_forward


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    built = {}
    for seed, name in enumerate(MODELS, 21):
        model, scaling = build(name, seed)
        folder = OUT / name
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            short = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}[dtype]
            model.to(dtype).save_pretrained(folder / short, max_shard_size="6KB" if short == "F32" else "5GB")
            (folder / short / "generation_config.json").unlink(missing_ok=True)
            config = folder / short / "config.json"
            if short == "BF16":
                write_json(folder / "config.5.json", json.loads(config.read_text()))
            config.unlink()
            for index in (folder / short).glob("*.index.json"):
                write_json(index, json.loads(index.read_text()))
            model.float()
        built[name] = (model, scaling, seed)
    patch_float64()
    patch_mistral()
    for name, (model, scaling, seed) in built.items():
        if scaling:
            patch_rope_with_scaling()
        write_json(OUT / name / "expected.json", expected(model, COMMON["vocab_size"], seed))
        if scaling:
            patch_float64()
    for path in sorted(OUT.rglob("*")):
        if path.is_file():
            print(path.relative_to(OUT), path.stat().st_size)
            assert path.stat().st_size < 100_000


if __name__ == "__main__":
    spelling_4() if "--spelling" in sys.argv else main()

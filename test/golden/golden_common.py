"""What the fixture scripts share: encoding, versions, the tiny models, the grouped batch, HF forward in true float64."""

import base64
import importlib.metadata
import json
import os
import platform
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)

HERE = Path(__file__).resolve().parent
MAX_BYTES = 100_000


def tensor(t, dtype="f64"):
    """torch/numpy -> {"shape", "dtype", "data"}: C order, base64 of little-endian bytes."""
    a = t.detach().cpu().numpy() if isinstance(t, torch.Tensor) else np.asarray(t)
    a = np.ascontiguousarray(a)
    if dtype == "f32":
        b = a.astype("<f4")
        assert np.array_equal(b.astype("f8"), a.astype("f8"), equal_nan=True), "not representable in float32"
    elif dtype == "f64":
        b = a.astype("<f8")
    else:
        raise ValueError(dtype)
    return {"shape": list(a.shape), "dtype": dtype, "data": base64.b64encode(b.tobytes()).decode()}


def untensor(d):
    """The inverse of `tensor`, as a float64 torch tensor."""
    a = np.frombuffer(base64.b64decode(d["data"]), dtype="<f4" if d["dtype"] == "f32" else "<f8")
    return torch.from_numpy(a.astype("f8").reshape(d["shape"]))


def versions():
    packages = ("torch", "transformers", "trl", "numpy")
    return {"python": platform.python_version(), **{p: importlib.metadata.version(p) for p in packages}}


def write(name, obj):
    path = HERE / f"{name}.json"
    text = json.dumps(obj, separators=(",", ":"), allow_nan=False) + "\n"
    assert len(text) < MAX_BYTES, f"{name}: {len(text)} bytes"
    path.write_text(text)
    print(f"{path.name}: {len(text)} bytes")


def read(name):
    return json.loads((HERE / f"{name}.json").read_text())


# --- the tiny models -------------------------------------------------------------------------------------------------

CONFIGS = {
    "llama_gqa": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 4,
        "intermediate_size": 24,
        "vocab_size": 13,
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    # no head_dim key: hidden_size / num_attention_heads = 8
    "llama_tied": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "intermediate_size": 20,
        "vocab_size": 11,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    "qwen2": {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 24,
        "vocab_size": 13,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000.0,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "use_sliding_window": False,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    # head_dim 8 while hidden_size / num_attention_heads = 3
    "qwen3": {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "hidden_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "intermediate_size": 20,
        "vocab_size": 13,
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000.0,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "attention_bias": False,
        "use_sliding_window": False,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    "gemma3": {
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "hidden_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "intermediate_size": 20,
        "vocab_size": 13,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-6,
        "query_pre_attn_scalar": 12,
        "sliding_window": 32,
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 10000.0},
        },
        "hidden_activation": "gelu_pytorch_tanh",
        "max_position_embeddings": 64,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 12,  # in no batch: transformers gives it no gradient
    },
    # Sequences are longer than the window.
    "gemma3_window": {
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "hidden_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "intermediate_size": 20,
        "vocab_size": 13,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-6,
        "query_pre_attn_scalar": 8,
        "sliding_window": 3,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
            "full_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
        "hidden_activation": "gelu_pytorch_tanh",
        "max_position_embeddings": 64,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 12,  # in no batch: transformers gives it no gradient
    },
    "granite": {
        "architectures": ["GraniteForCausalLM"],
        "model_type": "granite",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 24,
        "vocab_size": 13,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "embedding_multiplier": 12.0,
        "attention_multiplier": 0.2,
        "residual_multiplier": 0.22,
        "logits_scaling": 4.0,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    "smollm3": {
        "architectures": ["SmolLM3ForCausalLM"],
        "model_type": "smollm3",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 24,
        "vocab_size": 13,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "no_rope_layers": [1, 0],
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 12,  # in no batch: transformers gives it no gradient
    },
    "phi3": {
        "architectures": ["Phi3ForCausalLM"],
        "model_type": "phi3",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 24,
        "vocab_size": 13,
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "sliding_window": 32,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "original_max_position_embeddings": 64,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 12,  # in no batch: transformers gives it no gradient
    },
    "llama_yarn": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "intermediate_size": 20,
        "vocab_size": 11,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 4.0,
            "original_max_position_embeddings": 16,
        },
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
}

# Granite 4's dense models are Granite 3's arithmetic under other names.
CONFIGS["granite4"] = {
    **CONFIGS["granite"],
    "architectures": ["GraniteMoeHybridForCausalLM"],
    "model_type": "granitemoehybrid",
    "intermediate_size": 20,  # of experts, of which there are none
    "shared_intermediate_size": 24,
    "num_local_experts": 0,
    "mamba_n_heads": 4,  # of no layer, and checked all the same
    "layer_types": ["attention", "attention"],
    "position_embedding_type": "rope",
}

# The norms of these hold weights minus one.
OFFSET_NORMS = ("gemma3", "gemma3_window")


def build(name, seed=None):
    """The HF model in float32 with seeded random weights (weights untouched when seed is None)."""
    import transformers

    config = {k: v for k, v in CONFIGS[name].items() if k not in ("architectures", "model_type", "torch_dtype")}
    cls_name = CONFIGS[name]["architectures"][0]
    config_name = cls_name.replace("ForCausalLM", "TextConfig" if name in OFFSET_NORMS else "Config")
    cfg = getattr(transformers, config_name)(**config, attn_implementation="eager")
    if "rope_theta" in config:
        assert cfg.rope_parameters["rope_theta"] == config["rope_theta"], cfg.rope_parameters
        assert cfg.rope_parameters["rope_type"] == "default"
    model = getattr(transformers, cls_name)(cfg).float().eval()
    assert model.config._attn_implementation == "eager"
    if seed is not None:
        gen = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for pname, p in model.named_parameters():  # a tied head appears once, as model.embed_tokens.weight
                z = torch.randn(p.shape, generator=gen, dtype=torch.float32)
                one = 0 if name in OFFSET_NORMS else 1
                p.copy_(one + 0.2 * z.clamp(-2, 2) if pname.endswith("norm.weight") else 0.3 * z)
    return model


def model_from_fixture(name, dtype=torch.float64):
    """(HF model in dtype, fixture) with the weights stored in <name>.json."""
    fixture = read(name)
    model = build(name).to(dtype)
    with torch.no_grad():
        for pname, p in model.named_parameters():
            p.copy_(untensor(fixture["weights"][pname]))
    return model, fixture


def patch_float64():
    """HF casts to float32 inside RMSNorm, RoPE and the eager softmax whatever the model's dtype. Replace exactly these
    three by the same formulas without the cast; every other line that runs is HF's own."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    from transformers.models.gemma3 import modeling_gemma3
    from transformers.models.granite import modeling_granite
    from transformers.models.granitemoehybrid import modeling_granitemoehybrid
    from transformers.models.llama import modeling_llama
    from transformers.models.phi3 import modeling_phi3
    from transformers.models.qwen2 import modeling_qwen2
    from transformers.models.qwen3 import modeling_qwen3
    from transformers.models.smollm3 import modeling_smollm3

    def norm_forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + self.variance_epsilon))

    def offset_norm_forward(self, x):
        return self._norm(x) * (1.0 + self.weight)

    @torch.no_grad()
    def rope_forward(self, x, position_ids, layer_type=None):
        cfg = self.config
        parameters = cfg.rope_parameters if layer_type is None else cfg.rope_parameters[layer_type]
        if parameters["rope_type"] == "default":
            dim = getattr(cfg, "head_dim", None) or cfg.hidden_size // cfg.num_attention_heads
            inv_freq = 1.0 / (parameters["rope_theta"] ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim))
            scale = 1.0
        else:
            single, torch.float = torch.float, torch.float64  # its own formula, in the type that it names
            inv_freq, scale = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](cfg, "cpu", layer_type=layer_type)
            torch.float = single
        freqs = position_ids[..., None].to(torch.float64) * inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        return (scale * emb.cos()).to(x.dtype), (scale * emb.sin()).to(x.dtype)

    def make_eager(module):
        def eager(self, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
            key = module.repeat_kv(key, self.num_key_value_groups)
            value = module.repeat_kv(value, self.num_key_value_groups)
            w = torch.matmul(query, key.transpose(2, 3)) * scaling
            if attention_mask is not None:
                w = w + attention_mask
            w = F.softmax(w, dim=-1)
            return torch.matmul(w, value).transpose(1, 2).contiguous(), w

        return eager

    plain = (
        (modeling_llama, "Llama"),
        (modeling_qwen2, "Qwen2"),
        (modeling_qwen3, "Qwen3"),
        (modeling_granite, "Granite"),
        (modeling_granitemoehybrid, "GraniteMoeHybrid"),
        (modeling_smollm3, "SmolLM3"),
        (modeling_phi3, "Phi3"),
    )
    for module, prefix in (*plain, (modeling_gemma3, "Gemma3")):
        norm = offset_norm_forward if prefix == "Gemma3" else norm_forward
        getattr(module, f"{prefix}RMSNorm").forward = norm
        getattr(module, f"{prefix}RotaryEmbedding").forward = rope_forward
        module.eager_attention_forward = make_eager(module)


# --- the grouped batch -----------------------------------------------------------------------------------------------

GROUP_SHAPE = [(3, [1, 4, 2]), (5, [3, 1])]


def make_batch(vocab, seed):
    """2 groups; token ids avoid the last two of the vocabulary, so that some embedding rows get no gradient."""
    gen = torch.Generator().manual_seed(seed)

    def ids(n):
        return torch.randint(0, vocab - 2, (n,), generator=gen).tolist()

    return [{"prompt": ids(p), "completions": [ids(c) for c in cs]} for p, cs in GROUP_SHAPE]


def loss_logits(model, groups):
    """Raw logits (N, V) that predict each completion token, and the tokens; order: group, completion, position.
    Each prompt + completion is its own unpadded sequence."""
    rows, targets = [], []
    for group in groups:
        n = len(group["prompt"])
        for completion in group["completions"]:
            ids = torch.tensor([group["prompt"] + completion])
            logits = model(input_ids=ids, use_cache=False).logits[0]
            rows.append(logits[n - 1 : n - 1 + len(completion)])
            targets += completion
    return torch.cat(rows), torch.tensor(targets)


def score(logits, targets, temperature):
    """(logprob, entropy in nats, logsumexp), all of logits / temperature."""
    z = logits / temperature
    lse = torch.logsumexp(z, -1)
    logp_all = z - lse[:, None]
    logprob = logp_all.gather(1, targets[:, None])[:, 0]
    entropy = -(logp_all.exp() * logp_all).sum(-1)
    return logprob, entropy, lse

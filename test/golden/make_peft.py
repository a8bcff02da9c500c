"""peft/<name>/: adapters as PEFT writes them, on checkpoints of pretrained/, with what PEFT computes; see README.md."""

import json
import shutil
import tempfile
from pathlib import Path

import peft
import torch
import transformers
from golden_common import HERE, loss_logits, patch_float64, read, score, tensor, versions

OUT = HERE / "peft"
RANK, ALPHA = 4, 8
TEMPERATURE = 0.7
STEPS = 5
# The defaults of rlvr-train, but for a learning rate that shows in five steps
LR, BETAS, EPS, WEIGHT_DECAY, MAX_NORM = 3e-3, (0.9, 0.999), 1e-8, 0.0, 1.0
EPSILON = 0.2
ADVANTAGES = [1.0, -0.5, -0.75, 0.875, -0.625, 0.5, -0.25]  # one per completion
# As it is called in files, without the .weight that it has in PEFT's modules
MAGNITUDE = "lora_magnitude_vector"
ADAPTERS = {
    "llama_tied": ("llama_tied", dict(target_modules="all-linear")),
    "qwen2": ("qwen2", dict(target_modules="all-linear")),
    "qwen3": ("qwen3", dict(target_modules="all-linear")),
    "llama_rslora": ("llama_tied", dict(target_modules=["q_proj", "v_proj", "down_proj"], use_rslora=True)),
    "qwen2_dora": ("qwen2", dict(target_modules=["q_proj", "v_proj", "o_proj", "down_proj"], use_dora=True)),
}


def open_base(base):
    """The BF16 checkpoint with the config of transformers 5, in float32."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "pretrained" / base / "BF16" / "model.safetensors", folder)
        shutil.copy(HERE / "pretrained" / base / "config.5.json", Path(folder) / "config.json")
        kwargs = dict(dtype=torch.float32, attn_implementation="eager")
        return transformers.AutoModelForCausalLM.from_pretrained(folder, **kwargs).eval()


def adapted(base, options, seed):
    """With A and B that are far from their initial values."""
    config = peft.LoraConfig(r=RANK, lora_alpha=ALPHA, lora_dropout=0.0, task_type="CAUSAL_LM", **options)
    model = peft.get_peft_model(open_base(base), config)
    gen = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.requires_grad:
                p.copy_(0.3 * torch.randn(p.shape, generator=gen) + (1 if "magnitude" in name else 0))
    return model


def trained(model):
    """Name without PEFT's prefix and the adapter's name -> tensor."""
    short = lambda name: name.removeprefix("base_model.model.").replace(".default.", ".").replace(f"{MAGNITUDE}.weight", MAGNITUDE)
    return {short(name): p for name, p in model.named_parameters() if p.requires_grad}


def save(model, folder, base):
    model.save_pretrained(folder)
    (folder / "README.md").unlink()
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text())
    # Where the base lay was a temporary folder, and a list that was a set has no order
    config["base_model_name_or_path"] = f"tiny/{base}"
    config["target_modules"] = sorted(config["target_modules"])
    path.write_text(json.dumps(config, separators=(",", ":"), sort_keys=True) + "\n")


def backward(model, groups, g, h):
    logits, targets = loss_logits(model, groups)
    logprob, entropy, _ = score(logits, targets, TEMPERATURE)
    s = (g * logprob + h * entropy).sum()
    params = trained(model)
    grads = dict(zip(params, torch.autograd.grad(s, params.values())))
    return logits, logprob, s, grads


def five_steps(model, groups):
    """The clipped objective, a token's mean over the batch; old log-probs are those before the first step."""
    params = list(trained(model).values())
    optimizer = torch.optim.AdamW(params, lr=LR, betas=BETAS, eps=EPS, weight_decay=WEIGHT_DECAY)
    lengths = [len(c) for group in groups for c in group["completions"]]
    advantage = torch.repeat_interleave(torch.tensor(ADVANTAGES, dtype=torch.float64), torch.tensor(lengths))
    with torch.no_grad():
        old = score(*loss_logits(model, groups), 1.0)[0]
    losses, norms = [], []
    for _ in range(STEPS):
        ratio = torch.exp(score(*loss_logits(model, groups), 1.0)[0] - old)
        clipped = torch.clamp(ratio, 1 - EPSILON, 1 + EPSILON)
        loss = -torch.min(ratio * advantage, clipped * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(params, MAX_NORM).item())
        optimizer.step()
        losses.append(loss.item())
    return losses, norms, {name: tensor(p) for name, p in trained(model).items()}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    made = {}
    for seed, (name, (base, options)) in enumerate(ADAPTERS.items(), 51):
        model = adapted(base, options, seed)
        save(model, OUT / name, base)
        merged = peft.PeftModel.from_pretrained(open_base(base), OUT / name).merge_and_unload()
        made[name] = (base, model, merged, seed)
    patch_float64()
    for name, (base, model, merged, seed) in made.items():
        groups = read(f"pretrained/{base}/expected")["groups"]
        n = sum(len(c) for group in groups for c in group["completions"])
        gen = torch.Generator().manual_seed(seed + 200)
        g = torch.randn(n, generator=gen, dtype=torch.float32)
        h = 0.5 * torch.randn(n, generator=gen, dtype=torch.float32)
        # merged in float32, as a user merges, then scored in float64
        merged_logprob = score(*loss_logits(merged.double(), groups), 1.0)[0]
        model = model.double()
        logits, logprob, s, grads = backward(model, groups, g.double(), h.double())
        assert logits.dtype == torch.float64
        difference = (merged_logprob - score(*loss_logits(model, groups), 1.0)[0]).abs().max().item()
        assert difference < 1e-5, difference
        losses, norms, weights = five_steps(model, groups)
        expected = {
            "about": "a PEFT adapter on a tiny checkpoint, in float64; see README.md",
            "versions": {**versions(), "peft": peft.__version__},
            "base": base,
            "groups": groups,
            "logits": tensor(logits),
            "backward": {
                "temperature": TEMPERATURE,
                "g": tensor(g, "f32"),
                "h": tensor(h, "f32"),
                "S": s.item(),
                "logprob": tensor(logprob),
                "grads": {k: tensor(v.float(), "f32") for k, v in grads.items()},
            },
            "merged": {"temperature": 1.0, "logprob": tensor(merged_logprob)},
            "steps": {
                "temperature": 1.0,
                "advantages": ADVANTAGES,
                "epsilon": EPSILON,
                "optimizer": {
                    "betas": list(BETAS),
                    "eps": EPS,
                    "weight_decay": WEIGHT_DECAY,
                    "learning_rate": LR,
                    "max_grad_norm": MAX_NORM,
                },
                "loss": losses,
                "grad_norm": norms,
                "adapter": weights,
            },
        }
        text = json.dumps(expected, separators=(",", ":"), allow_nan=False) + "\n"
        (OUT / name / "expected.json").write_text(text)
        print(name, s.item(), losses, norms, "merged and not:", difference)
    for path in sorted(OUT.rglob("*")):
        if path.is_file():
            print(path.relative_to(OUT), path.stat().st_size)
            assert path.stat().st_size < 100_000


if __name__ == "__main__":
    main()

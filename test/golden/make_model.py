"""llama_gqa.json, llama_tied.json, qwen2.json, qwen3.json: forward, scores and full gradients of tiny HF models."""

import torch
from golden_common import CONFIGS, build, loss_logits, make_batch, patch_float64, score, tensor, versions, write

TEMPERATURE = 0.7
SEEDS = {
    **{"llama_gqa": 11, "llama_tied": 12, "qwen2": 13, "qwen3": 14},
    **{"gemma3": 15, "granite": 16, "smollm3": 17, "phi3": 18, "llama_yarn": 19, "gemma3_window": 20},
    "granite4": 21,
}


def run(model, groups, g, h):
    logits, targets = loss_logits(model, groups)
    logprob, entropy, _ = score(logits, targets, TEMPERATURE)
    s = (g * logprob + h * entropy).sum()
    names, params = zip(*model.named_parameters())
    return logits, targets, s, dict(zip(names, torch.autograd.grad(s, params)))


def main():
    prepared = {}
    for name, seed in SEEDS.items():
        model = build(name, seed)
        groups = make_batch(CONFIGS[name]["vocab_size"], seed + 100)
        n = sum(len(c) for group in groups for c in group["completions"])
        gen = torch.Generator().manual_seed(seed + 200)
        g = torch.randn(n, generator=gen, dtype=torch.float32)
        h = 0.5 * torch.randn(n, generator=gen, dtype=torch.float32)
        # HF as shipped, in float32: only to record how far the float64 run is from it
        shipped = run(model, groups, g, h)
        prepared[name] = (model, groups, g, h, shipped)

    patch_float64()
    for name, (model, groups, g, h, shipped) in prepared.items():
        weights = {k: p.detach().clone() for k, p in model.named_parameters()}  # float32
        model = model.double()
        g64, h64 = g.double(), h.double()
        logits, targets, s, grads = run(model, groups, g64, h64)
        assert logits.dtype == torch.float64 and all(v.dtype == torch.float64 for v in grads.values())

        # central differences in the direction of a random vector, one per tensor
        gen = torch.Generator().manual_seed(7)
        worst = 0.0
        for pname, p in model.named_parameters():
            d = torch.randn(p.shape, generator=gen, dtype=torch.float64)
            eps, vals = 1e-5, []
            for sign in (1, -1):
                with torch.no_grad():
                    p.add_(d, alpha=sign * eps)
                    lg, tg = loss_logits(model, groups)
                    lp, en, _ = score(lg, tg, TEMPERATURE)
                    vals.append((g64 * lp + h64 * en).sum().item())
                    p.add_(d, alpha=-sign * eps)
            fd, an = (vals[0] - vals[1]) / (2 * eps), (grads[pname] * d).sum().item()
            worst = max(worst, abs(fd - an) / max(1.0, abs(an)))
        assert worst < 1e-6, worst

        scores = []
        for t in (0.7, 1.0):
            logprob, entropy, lse = score(logits, targets, t)
            scores.append(
                {"temperature": t, "logprob": tensor(logprob), "entropy": tensor(entropy), "logsumexp": tensor(lse)}
            )
        gmax = max(v.abs().max().item() for v in grads.values())
        write(
            name,
            {
                "about": "tiny HF causal LM in float64; see README.md",
                "versions": versions(),
                "config": CONFIGS[name],
                "weights": {k: tensor(v, "f32") for k, v in weights.items()},
                "groups": groups,
                "logits": tensor(logits),
                "scores": scores,
                "backward": {
                    "temperature": TEMPERATURE,
                    "g": tensor(g64, "f32"),
                    "h": tensor(h64, "f32"),
                    "S": s.item(),
                    "grads": {k: tensor(v) for k, v in grads.items()},
                },
                "check": {
                    "hf_float32_max_abs_logit_diff": (shipped[0].double() - logits).abs().max().item(),
                    "hf_float32_max_abs_grad_diff": max(
                        (shipped[3][k].double() - grads[k]).abs().max().item() for k in grads
                    ),
                    "max_abs_grad": gmax,
                    "finite_difference_max_rel_err": worst,
                },
            },
        )
        print("   ", "S", s.item(), "gmax", gmax, "fd", worst, "f32 logit diff",
              (shipped[0].double() - logits).abs().max().item(),
              "min tensor gmax", min(v.abs().max().item() for v in grads.values()))


if __name__ == "__main__":
    main()

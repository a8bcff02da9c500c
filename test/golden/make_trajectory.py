"""trajectory.json: ten AdamW steps of the PPO-clip loss (dapo token mean) and ten of SFT, in float64."""

import torch
from golden_common import loss_logits, model_from_fixture, patch_float64, score, tensor, versions, write

STEPS = 10
LR, WARMUP, BETAS, EPS, WEIGHT_DECAY, MAX_NORM = 1e-2, 3, (0.9, 0.95), 1e-8, 0.01, 1.0
EPSILON, EPSILON_HIGH = 0.2, 0.28
ADVANTAGES = [1.0, -0.5, -0.75, 0.875, -0.625]  # one per completion, float32-representable


def run(kind, dtype):
    model, fixture = model_from_fixture("llama_gqa", dtype)
    groups = fixture["groups"]
    lengths = [len(c) for group in groups for c in group["completions"]]
    advantage = torch.repeat_interleave(torch.tensor(ADVANTAGES, dtype=dtype), torch.tensor(lengths))
    with torch.no_grad():
        old = score(*loss_logits(model, groups), 1.0)[0]

    params = list(model.parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in params if p.dim() >= 2], "weight_decay": WEIGHT_DECAY},
            {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
        ],
        lr=LR, betas=BETAS, eps=EPS,
    )  # fmt: skip
    log = {k: [] for k in ("lr", "loss", "grad_norm", "entropy")}
    if kind == "grpo":
        log |= {"clip_low": [], "clip_high": []}
    logprobs, margin = [], float("inf")
    for t in range(STEPS):
        lr = LR * min(1.0, (t + 1) / WARMUP)
        for group in optimizer.param_groups:
            group["lr"] = lr
        logprob, entropy, _ = score(*loss_logits(model, groups), 1.0)
        if kind == "grpo":
            ratio = torch.exp(logprob - old)
            for bound in (1 - EPSILON, 1 + EPSILON_HIGH):
                margin = min(margin, (ratio - bound).abs().min().item())
            clipped = torch.clamp(ratio, 1 - EPSILON, 1 + EPSILON_HIGH)
            loss = -torch.min(ratio * advantage, clipped * advantage).sum() / len(logprob)
            log["clip_low"].append(((ratio < 1 - EPSILON) & (advantage < 0)).double().mean().item())
            log["clip_high"].append(((ratio > 1 + EPSILON_HIGH) & (advantage > 0)).double().mean().item())
        else:
            loss = -logprob.mean()
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(params, MAX_NORM)
        optimizer.step()
        log["lr"].append(lr)
        log["loss"].append(loss.item())
        log["grad_norm"].append(norm.item())
        log["entropy"].append(entropy.mean().item())
        logprobs.append(logprob.detach())
    weights = {k: p.detach() for k, p in model.named_parameters()}
    return log, torch.stack(logprobs), weights, margin


def record(kind):
    log, logprobs, weights, margin = run(kind, torch.float64)
    # The same in float32: how much of a disagreement is rounding
    log32, _, weights32, _ = run(kind, torch.float32)
    check = {
        "float32_max_abs_weight_diff": max((weights[k] - weights32[k].double()).abs().max().item() for k in weights),
        "float32_max_abs_loss_diff": max(abs(a - b) for a, b in zip(log["loss"], log32["loss"])),
    }
    out = {"steps": log, "final_weights": {k: tensor(p) for k, p in weights.items()}, "check": check}
    if kind == "grpo":
        out["logprobs"] = tensor(logprobs)
        check["min_distance_of_a_ratio_to_a_clip_bound"] = margin
    print(kind, log, check)
    return out


def main():
    patch_float64()
    write(
        "trajectory",
        {
            "about": "AdamW trajectories from the weights and groups of llama_gqa.json; see README.md",
            "versions": versions(),
            "model": "llama_gqa",
            "temperature": 1.0,
            "advantages": ADVANTAGES,
            "epsilon": EPSILON,
            "epsilon_high": EPSILON_HIGH,
            "optimizer": {
                "betas": list(BETAS),
                "eps": EPS,
                "weight_decay": WEIGHT_DECAY,
                "learning_rate": LR,
                "warmup_steps": WARMUP,
                "max_grad_norm": MAX_NORM,
            },
            "grpo": record("grpo"),
            "sft": record("sft"),
        },
    )


if __name__ == "__main__":
    main()

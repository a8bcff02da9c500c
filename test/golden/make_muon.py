"""muon.json: five SFT steps of torch.optim.Muon on the matrices of the layers and AdamW on the rest, in float64."""

import torch
from golden_common import loss_logits, model_from_fixture, patch_float64, score, tensor, versions, write

STEPS = 5
LR, WARMUP, BETAS, EPS, WEIGHT_DECAY, MAX_NORM, MOMENTUM = 1e-2, 2, (0.9, 0.95), 1e-8, 0.1, 1.0, 0.9


def run(dtype):
    model, fixture = model_from_fixture("llama_gqa", dtype)
    groups = fixture["groups"]
    named = dict(model.named_parameters())
    hidden = [p for name, p in named.items() if p.dim() == 2 and ".layers." in name]
    tables = [p for name, p in named.items() if p.dim() == 2 and ".layers." not in name]
    vectors = [p for p in named.values() if p.dim() < 2]
    optimizers = [
        torch.optim.Muon(
            hidden, lr=LR, weight_decay=WEIGHT_DECAY, momentum=MOMENTUM, nesterov=True, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(
            [{"params": tables, "weight_decay": WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}],
            lr=LR, betas=BETAS, eps=EPS,
        ),
    ]  # fmt: skip
    log = {"loss": [], "grad_norm": []}
    for t in range(STEPS):
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = LR * min(1.0, (t + 1) / WARMUP)
        loss = -score(*loss_logits(model, groups), 1.0)[0].mean()
        model.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        for optimizer in optimizers:
            optimizer.step()
        log["loss"].append(loss.item())
        log["grad_norm"].append(norm.item())
    return log, {name: p.detach() for name, p in named.items()}


def main():
    patch_float64()
    bfloat16 = torch.Tensor.bfloat16
    # torch rounds to bfloat16 before its iteration. Its own code in full precision: the same without that cast.
    _, rounded = run(torch.float64)
    torch.Tensor.bfloat16 = lambda self: self
    log, weights = run(torch.float64)
    log32, weights32 = run(torch.float32)
    torch.Tensor.bfloat16 = bfloat16
    largest = lambda other: max((weights[k] - other[k].double()).abs().max().item() for k in weights)
    check = {
        "float32_max_abs_weight_diff": largest(weights32),
        "float32_max_abs_loss_diff": max(abs(a - b) for a, b in zip(log["loss"], log32["loss"])),
        "bfloat16_max_abs_weight_diff": largest(rounded),
    }
    print(log, check)
    write(
        "muon",
        {
            "about": "Muon trajectory from the weights and groups of llama_gqa.json; see README.md",
            "versions": versions(),
            "model": "llama_gqa",
            "optimizer": {
                "betas": list(BETAS),
                "eps": EPS,
                "weight_decay": WEIGHT_DECAY,
                "learning_rate": LR,
                "warmup_steps": WARMUP,
                "max_grad_norm": MAX_NORM,
                "momentum": MOMENTUM,
            },
            "sft": {"steps": log, "final_weights": {k: tensor(p) for k, p in weights.items()}, "check": check},
        },
    )


if __name__ == "__main__":
    main()

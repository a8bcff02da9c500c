"""trl_loss.json: loss, gradient and metrics out of TRL's own GRPOTrainer._compute_loss.
trl_advantages.json: advantages out of TRL's own GRPOTrainer._generate_and_score_completions.

The trainer object is made without __init__; only the attributes these methods read are set. Stubs: the method that
would run the model (returns leaf tensors instead), generation, and reward calling."""

import math
from collections import defaultdict, deque
from types import SimpleNamespace

import torch
from accelerate import Accelerator
from golden_common import tensor, versions, write
from trl import GRPOConfig, GRPOTrainer

ACCELERATOR = Accelerator(cpu=True)
DEFAULTS = {f: GRPOConfig.__dataclass_fields__[f].default for f in (
    "sapo_temperature_neg", "sapo_temperature_pos", "vespo_k_pos", "vespo_lambda_pos", "vespo_k_neg",
    "vespo_lambda_neg", "loss_type", "beta", "epsilon", "delta", "entropy_coef", "top_entropy_quantile",
    "importance_sampling_level", "scale_rewards",
)}  # fmt: skip


def f32(t):
    return t.to(torch.float32).to(torch.float64)


def finite(x):
    return x if math.isfinite(x) else None


# --- loss ------------------------------------------------------------------------------------------------------------


def make_inputs(lengths, width, advantages, seed):
    """Values at padded positions are noise on purpose: nothing may depend on them."""
    gen = torch.Generator().manual_seed(seed)
    b = len(lengths)

    def randn(*shape):
        return torch.randn(*shape, generator=gen, dtype=torch.float64)

    logps = f32(-(0.1 + randn(b, width).abs()))
    old = f32(logps + 0.35 * randn(b, width) + 0.35 * randn(b, 1))
    ref = f32(logps + 0.5 * randn(b, width))
    entropies = f32(0.05 + 1.5 * torch.rand(b, width, generator=gen, dtype=torch.float64))
    mask = torch.tensor([[1 if t < n else 0 for t in range(width)] for n in lengths])
    return {
        "logps": logps, "old": old, "ref": ref, "entropies": entropies,
        "advantages": torch.tensor(advantages, dtype=torch.float64), "mask": mask,
    }  # fmt: skip


INPUTS = {
    # 2 groups of 3; the fifth row has advantage 0
    "ragged": make_inputs([5, 1, 3, 2, 4, 5], 5, [1.25, -0.5, -0.75, 0.875, 0.0, -0.875], 0),
    # 1 group of 4; the second row is a truncated completion whose mask was zeroed (mask_truncated_completions)
    "truncated": make_inputs([7, 0, 3, 5], 7, [0.75, 1.0, -1.25, -0.5], 55),
}
# Episodes, 1 group of 4: tokens of tool results are 0 in TRL's tool mask, which is 1 where there is padding
INPUTS["turns"] = make_inputs([8, 6, 3, 8], 8, [1.25, -0.5, 0.25, -1.0], 21)
TOOL_MASK = {
    "turns": torch.tensor([
        [1, 1, 0, 0, 1, 0, 1, 1],
        [1, 0, 0, 0, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 0, 1, 0, 0, 1],
    ]),
}  # fmt: skip
# Active tokens of the whole generation batch (these micro-batches hold 20, 15 and 16)
NUM_ITEMS = {"ragged": 37, "truncated": 29, "turns": 31}
MAX_COMPLETION_LENGTH = 8


def compute(inputs_name, use_old, o):
    x = INPUTS[inputs_name]
    logps = x["logps"].clone().requires_grad_()
    entropies = x["entropies"].clone().requires_grad_()
    t = GRPOTrainer.__new__(GRPOTrainer)
    t.accelerator = ACCELERATOR
    t.model = SimpleNamespace(training=o["mode"] == "train")
    t.aux_loss_enabled = False
    t.use_vllm = False
    t.vllm_importance_sampling_correction = False
    t.loss_type = o["loss_type"]
    t.beta = o["beta"]
    t.epsilon_low = o["epsilon"]
    t.epsilon_high = o["epsilon_high"]
    t.importance_sampling_level = o["importance_sampling_level"]
    t.top_entropy_quantile = o["top_entropy_quantile"]
    t.off_policy_mask_threshold = o["off_policy_mask_threshold"]
    t.max_completion_length = o["max_completion_length"]
    t.current_gradient_accumulation_steps = o["gradient_accumulation_steps"]
    t.entropy_coef = o["entropy_coef"]
    t.use_adaptive_entropy = False
    t._entropy_bonus_enabled = t.entropy_coef != 0.0
    t._metrics = {"train": defaultdict(list), "eval": defaultdict(list)}
    t.args = SimpleNamespace(
        delta=o["delta"],
        use_bias_correction_kl=o["use_bias_correction_kl"],
        steps_per_generation=o["steps_per_generation"],
        **{k: o[k] for k in DEFAULTS if k.startswith(("sapo_", "vespo_"))},
    )
    t._get_per_token_logps_and_entropies = lambda *a, **k: (logps, entropies, None)
    b, width = x["mask"].shape
    batch = {
        "prompt_ids": torch.zeros(b, 2, dtype=torch.long),
        "prompt_mask": torch.ones(b, 2, dtype=torch.long),
        "completion_ids": torch.zeros(b, width, dtype=torch.long),
        "completion_mask": x["mask"],
        "advantages": x["advantages"],
        # float64 instead of TRL's int64, whose clamp(min=1.0) would give a float32 denominator
        "num_items_in_batch": torch.tensor(float(o["num_items_in_batch"]), dtype=torch.float64),
    }
    if inputs_name in TOOL_MASK:
        batch["tool_mask"] = TOOL_MASK[inputs_name]
    if use_old:
        batch["old_per_token_logps"] = x["old"]
    if o["beta"] != 0.0:
        batch["ref_per_token_logps"] = x["ref"]
    loss = t._compute_loss(t.model, batch)
    assert loss.dtype == torch.float64, loss.dtype
    dlogps, dentropies = torch.autograd.grad(loss, (logps, entropies), allow_unused=True)
    metrics = {k: finite(v[-1]) for k, v in t._metrics[o["mode"]].items()}
    return loss.item(), dlogps, dentropies, metrics


def loss_cases():
    base = {
        "loss_type": "dapo", "beta": 0.0, "epsilon": 0.2, "epsilon_high": 0.28, "delta": None,
        "importance_sampling_level": "token", "entropy_coef": 0.0, "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None, "use_bias_correction_kl": False, "gradient_accumulation_steps": 2,
        "steps_per_generation": 2, "max_completion_length": MAX_COMPLETION_LENGTH, "mode": "train",
        **{k: v for k, v in DEFAULTS.items() if k.startswith(("sapo_", "vespo_"))},
    }  # fmt: skip
    cases = []

    def case(name, inputs="ragged", old=True, **over):
        options = {**base, "num_items_in_batch": NUM_ITEMS[inputs], **over}
        loss, dlogps, dentropies, metrics = compute(inputs, old, options)
        changed = {k: v for k, v in options.items() if k not in base or base[k] != v}
        cases.append({
            "name": name, "inputs": inputs, "old": old, "options": changed, "loss": loss,
            "dlogps": tensor(dlogps), "dentropies": None if dentropies is None else tensor(dentropies),
            "metrics": metrics,
        })  # fmt: skip
        return metrics

    for loss_type in ("grpo", "bnpo", "dr_grpo", "dapo"):
        for beta in (0.0, 0.1):
            for inputs in INPUTS:
                for old in (True, False):
                    m = case(f"{loss_type} beta={beta} {inputs} {'old' if old else 'on-policy'}",
                             inputs, old, loss_type=loss_type, beta=beta)  # fmt: skip
                    assert (m["clip_ratio/low_mean"] > 0 and m["clip_ratio/high_mean"] > 0) == old, m
    case("delta two-sided grpo", loss_type="grpo", delta=1.5)
    case("delta two-sided dapo truncated", "truncated", delta=1.5)
    for loss_type in ("grpo", "dapo"):
        m = case(f"sequence level {loss_type}", loss_type=loss_type, importance_sampling_level="sequence")
        assert m["clip_ratio/low_mean"] > 0 and m["clip_ratio/high_mean"] > 0, m
    case("sequence level dapo beta=0.1 truncated", "truncated", importance_sampling_level="sequence", beta=0.1)
    case("sequence level dapo on-policy", old=False, importance_sampling_level="sequence")
    for loss_type in ("grpo", "dapo"):
        case(f"entropy_coef {loss_type}", loss_type=loss_type, entropy_coef=0.03)
    case("entropy_coef dapo truncated", "truncated", entropy_coef=0.03)
    case("entropy_coef dapo accumulation 1", entropy_coef=0.03, gradient_accumulation_steps=1, steps_per_generation=1)
    case("top entropy 0.5 dapo", top_entropy_quantile=0.5)
    case("top entropy 0.2 grpo", loss_type="grpo", top_entropy_quantile=0.2)
    case("top entropy 0.5 with entropy_coef and beta", top_entropy_quantile=0.5, entropy_coef=0.03, beta=0.1)
    # dapo: num_items * accumulation / steps_per_generation
    case("dapo accumulation 2, steps_per_generation 4", steps_per_generation=4)
    case("dapo accumulation 4, steps_per_generation 4", gradient_accumulation_steps=4, steps_per_generation=4)
    case("grpo accumulation 4, steps_per_generation 4", loss_type="grpo", gradient_accumulation_steps=4,
         steps_per_generation=4)  # fmt: skip
    for loss_type in ("grpo", "dapo"):
        case(f"eval mode {loss_type}", loss_type=loss_type, mode="eval")
    case("cispo", loss_type="cispo", epsilon_high=1.28)
    case("sapo", loss_type="sapo")
    case("luspo sequence", loss_type="luspo", importance_sampling_level="sequence")
    case("luspo token", loss_type="luspo")
    case("vespo", loss_type="vespo")
    case("off-policy mask", off_policy_mask_threshold=0.1)
    case("bias-corrected kl", beta=0.1, use_bias_correction_kl=True)
    for loss_type in ("grpo", "dapo"):
        case(f"entropy_coef {loss_type} turns", "turns", loss_type=loss_type, entropy_coef=0.03)
        case(f"sequence level {loss_type} turns", "turns", loss_type=loss_type,
             importance_sampling_level="sequence")  # fmt: skip
    case("top entropy 0.5 dapo turns", "turns", top_entropy_quantile=0.5)
    return base, cases


# --- advantages ------------------------------------------------------------------------------------------------------


def trainer_of(rewards, weights, g, scale, aggregation, mask_truncated=False):
    """A trainer that has generated `rewards`' completions: generation is yet to be stubbed."""
    rewards = torch.tensor([[math.nan if v is None else v for v in row] for row in rewards], dtype=torch.float64)
    b, f = rewards.shape
    t = GRPOTrainer.__new__(GRPOTrainer)
    t.accelerator = ACCELERATOR
    t.model = SimpleNamespace(training=True, is_gradient_checkpointing=False)
    t.environment_factories = None
    t.environments = None
    t.tools = []
    t.rollout_func = None
    t.num_generations = g
    t.num_iterations = 1
    t.beta = 0.0
    t.use_vllm = False
    t.vllm_importance_sampling_correction = False
    t.pad_to_multiple_of = None
    t.mask_truncated_completions = mask_truncated
    t.eos_token_ids = [2]
    t._tokenizer = SimpleNamespace(pad_token_id=0)
    t.processing_class = SimpleNamespace(batch_decode=lambda ids, **_: [""] * len(ids))
    t.state = SimpleNamespace(num_input_tokens_seen=0, global_step=0)
    t.args = SimpleNamespace(
        per_device_train_batch_size=b, steps_per_generation=1, gradient_accumulation_steps=1,
        gradient_checkpointing_kwargs=None,
    )  # fmt: skip
    t.scale_rewards = scale
    t.multi_objective_aggregation = aggregation
    t.reward_weights = torch.tensor(weights, dtype=torch.float64)
    t.reward_funcs = [None] * f
    t.reward_func_names = [f"r{i}" for i in range(f)]
    t._metrics = {"train": defaultdict(list), "eval": defaultdict(list)}
    t._logs = {k: deque() for k in ("prompt", "completion", "advantages")}
    t._logs |= {"rewards": defaultdict(deque), "extra": defaultdict(deque)}
    t._pending_extra_logs, t._pending_metrics = defaultdict(list), defaultdict(list)
    t._calculate_rewards = lambda *a: rewards
    return t


def advantages(rewards, weights, g, scale, aggregation, completions=None, mask_truncated=False):
    b = len(rewards)
    completions = completions or [[3, 2]] * b
    t = trainer_of(rewards, weights, g, scale, aggregation, mask_truncated)
    t._generate = lambda prompts: ([[5]] * b, completions, None, [""] * b, None, {}, None, [])
    out = t._generate_and_score_completions([{"prompt": "p"} for _ in range(b)])
    adv = out["advantages"]
    assert adv.dtype == torch.float64
    return out, adv, {k: finite(v[-1]) for k, v in t._metrics["train"].items()}


REWARDS = {
    "plain": (4, [1.0], [[1.0], [0.0], [0.5], [0.25], [0.0], [0.0], [1.0], [1.0]]),
    # first group dead at 0.7, second at 0, third alive
    "dead groups": (4, [1.0], [[0.7]] * 4 + [[0.0]] * 4 + [[0.1], [0.7], [0.7], [0.7]]),
    "all dead, equal": (3, [1.0], [[0.7]] * 6),
    "all dead, different levels": (3, [1.0], [[0.7]] * 3 + [[0.1]] * 3),
    "nearly dead": (3, [1.0], [[0.7], [0.7], [0.7 + 1e-9], [0.2], [0.3], [0.4]]),
    "two weighted": (3, [1.0, 0.25], [[1.0, 0.3], [0.0, 0.9], [0.0, 0.1], [1.0, 0.5], [1.0, 0.5], [0.0, 0.25]]),
    # None: a reward function that did not apply; a row of None only has advantage 0
    "with None": (3, [1.0, 0.5], [[1.0, None], [0.0, 0.5], [None, None], [None, 0.25], [0.5, 1.0], [0.0, 0.0]]),
    "one scorable": (3, [1.0], [[0.5], [None], [None], [0.0], [1.0], [0.5]]),
}


def advantage_cases():
    cases = []
    for name, (g, weights, rewards) in REWARDS.items():
        for aggregation, scales in (("sum_then_normalize", ("group", "batch", "none")), ("normalize_then_sum", ("group",))):
            for scale in scales:
                _, adv, metrics = advantages(rewards, weights, g, scale, aggregation)
                cases.append({
                    "name": name, "num_generations": g, "reward_weights": weights, "rewards_per_func": rewards,
                    "scale_rewards": scale, "multi_objective_aggregation": aggregation,
                    "advantages": tensor(adv), "metrics": metrics,
                })  # fmt: skip
    return cases


def truncation_case():
    g, weights, rewards = REWARDS["plain"]
    completions = [[4, 2], [4, 5, 6, 7], [2], [4, 4, 2], [4, 5, 6, 2], [9, 9, 9, 9], [9, 2], [9, 9, 0]]
    out, adv, metrics = advantages(rewards, weights, g, "group", "sum_then_normalize", completions, True)
    assert out.get("old_per_token_logps") is None
    return {
        "eos_token_ids": [2], "pad_token_id": 0, "num_generations": g, "rewards_per_func": rewards,
        "completions": completions, "completion_mask": out["completion_mask"].tolist(),
        "num_items_in_batch": int(out["num_items_in_batch"]), "advantages": tensor(adv), "metrics": metrics,
    }  # fmt: skip


def main():
    base, cases = loss_cases()
    write("trl_loss", {
        "about": "TRL GRPOTrainer._compute_loss in float64; see README.md",
        "versions": versions(),
        "default_options": base,
        "inputs": {
            name: {
                k: tensor(v, "f32") if k in ("logps", "old", "ref", "entropies")
                else (v * TOOL_MASK.get(name, 1)).tolist() if k == "mask" else v.tolist()
                for k, v in x.items()
            }
            for name, x in INPUTS.items()
        },
        "cases": cases,
    })  # fmt: skip
    write("trl_advantages", {
        "about": "TRL GRPOTrainer._generate_and_score_completions (advantages) in float64; see README.md",
        "versions": versions(),
        "cases": advantage_cases(),
        "mask_truncated_completions": truncation_case(),
    })  # fmt: skip


if __name__ == "__main__":
    main()

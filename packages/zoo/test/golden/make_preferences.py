"""Writes preferences.json: losses and gradients of TRL's DPOTrainer, KTOTrainer, ORPOTrainer and CPOTrainer.

The trainers are made without __init__; models give log-probs that are given. `pairs` are random, representable in
float32; `model` are those that transformers finds with the weights of llama_tied.json. TRL's sources are run with
`.float()` as `.double()`, and with a limit of the α-divergence for float64, so that all is float64.

ORPO's likelihood of the chosen side is that of its completion; TRL takes the prompt too.

    python make_preferences.py    # torch 2.14, trl 1.16
"""

import base64
import importlib.metadata
import inspect
import json
import textwrap
from collections import defaultdict
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from accelerate import Accelerator
from trl.experimental.cpo import cpo_trainer
from trl.experimental.orpo import orpo_trainer
from trl.trainer import dpo_trainer, kto_trainer

HERE = Path(__file__).resolve().parent
VOCABULARY = 6
LENGTHS = [[4, 6], [3, 1], [5, 5], [2, 7]]  # chosen, rejected

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
accelerator = Accelerator(cpu=True)


def in_float64(module, cls, name):
    source = textwrap.dedent(inspect.getsource(getattr(cls, name)))
    source = source.replace(".float()", ".double()").replace("torch.float32: 80.0}", "torch.float64: 80.0}")
    scope = {
        **vars(module),
        "disable_gradient_checkpointing": lambda *a: nullcontext(),
        "is_peft_model": lambda model: False,
    }
    exec(source, scope)
    return scope[name]


dpo_loss = in_float64(dpo_trainer, dpo_trainer.DPOTrainer, "_compute_loss")
kto_loss = in_float64(kto_trainer, kto_trainer.KTOTrainer, "_compute_loss")
odds_ratio_loss = in_float64(orpo_trainer, orpo_trainer.ORPOTrainer, "odds_ratio_loss")
cpo_loss = in_float64(cpo_trainer, cpo_trainer.CPOTrainer, "cpo_loss")


def f32(t):
    return t.to(torch.float32).to(torch.float64)


def padded(rows):
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


class Data:
    """Completions in TRL's order: all chosen ones, then all rejected ones."""

    def __init__(self, logps, refs, squares=None):
        self.lengths = [len(row) for row in logps]
        self.logps, self.refs = padded(logps), padded(refs)
        self.mask = padded([torch.ones(n) for n in self.lengths])
        self.squares = torch.zeros_like(self.logps) if squares is None else padded(squares)


def model_of(logps, data):
    zeros = torch.zeros_like(data.mask)
    out = SimpleNamespace(
        log_probs=logps, log_sum_sq_probs=data.squares, entropy=zeros, mean_logits=zeros, is_top1=zeros.bool()
    )
    return lambda **_: out


def inputs_of(data):
    prompt = torch.zeros(len(data.lengths), 1)
    mask = torch.cat([prompt, data.mask], dim=1).long()
    return {"input_ids": torch.zeros_like(mask), "attention_mask": mask, "completion_mask": mask}


def trainer(data, **given):
    return SimpleNamespace(
        **{
            "model": SimpleNamespace(training=True),
            "accelerator": accelerator,
            "aux_loss_enabled": False,
            "precompute_ref_logps": False,
            "ref_model": model_of(data.refs, data),
            "args": SimpleNamespace(
                gradient_checkpointing_kwargs=None, discopop_tau=given.pop("discopop_tau", 0.05)
            ),
            "_metrics": {"train": defaultdict(list)},
            "_total_train_tokens": 0,
            "_tp_size": 1,
            **given,
        }
    )


def dpo(data, leaf, loss_type="sigmoid", loss_weights=None, **given):
    names = [loss_type] if isinstance(loss_type, str) else loss_type
    options = {
        "beta": 0.1, "label_smoothing": 0.0, "f_divergence_type": "reverse_kl", "f_alpha_divergence_coef": 0.5,
        "ld_alpha": None, "use_weighting": False, **given,
    }  # fmt: skip
    self = trainer(data, loss_types=names, loss_weights=loss_weights or [1.0] * len(names), **options)
    loss = dpo_loss(self, model_of(leaf * data.mask, data), inputs_of(data), False)
    return loss, {name: values[-1] for name, values in self._metrics["train"].items() if name.startswith("rewards/")}


def sums(data, leaf, is_mean):
    total = (leaf * data.mask).sum(1)
    return (total / data.mask.sum(1) if is_mean else total).chunk(2)


def chosen_nll(data, leaf):
    half = len(data.lengths) // 2
    return -(leaf * data.mask)[:half].sum() / data.mask[:half].sum()


def orpo(data, leaf, beta=0.1, **_):
    self = SimpleNamespace(beta=beta, accelerator=accelerator)
    return chosen_nll(data, leaf) - odds_ratio_loss(self, *sums(data, leaf, True))[0].mean(), {}


def cpo(data, leaf, loss_type="sigmoid", beta=0.1, label_smoothing=0.0, simpo_gamma=0.5, cpo_alpha=1.0):
    self = SimpleNamespace(
        beta=beta, alpha=0.0, loss_type=loss_type, simpo_gamma=simpo_gamma, label_smoothing=label_smoothing,
        accelerator=accelerator,
    )  # fmt: skip
    losses = cpo_loss(self, *sums(data, leaf, loss_type in ("ipo", "simpo")))[0]
    return losses.mean() + cpo_alpha * chosen_nll(data, leaf), {}


def kto(data, leaf, loss_type="kto", beta=0.1, desirable_weight=1.0, undesirable_weight=1.0):
    """Each completion is a row of its own; the mismatched ones are the same in another order, under other log-probs."""
    self = trainer(
        data, calculate_KL=loss_type == "kto", loss_type=loss_type, beta=beta, desirable_weight=desirable_weight,
        undesirable_weight=undesirable_weight,
        _compute_kl_logps=lambda model, _: (MISMATCHED_REF if model is self.ref_model else MISMATCHED).sum(1),
    )  # fmt: skip
    half = len(data.lengths) // 2
    labels = torch.tensor([1] * half + [0] * half)
    loss = kto_loss(self, model_of(leaf * data.mask, data), {**inputs_of(data), "label": labels}, False)
    return loss, {}


TRAINERS = {"dpo": dpo, "kto": kto, "orpo": orpo, "cpo": cpo}


def case(stage, data, **options):
    leaf = data.logps.clone().requires_grad_()
    loss, rewards = TRAINERS[stage](data, leaf, **options)
    (gradient,) = torch.autograd.grad(loss, leaf)
    rows = [gradient[i, :n].tolist() for i, n in enumerate(data.lengths)]
    return {"stage": stage, "options": options, "loss": loss.item(), "gradient": rows, "rewards": rewards}


def random_pairs():
    order = [pair[side] for side in (0, 1) for pair in LENGTHS]
    distributions = [f32(torch.log_softmax(1.5 * torch.randn(n, VOCABULARY), dim=-1)) for n in order]
    tokens = [torch.randint(VOCABULARY, (n,)) for n in order]
    logps = [d.gather(1, t[:, None])[:, 0] for d, t in zip(distributions, tokens)]
    refs = [f32(row + 0.4 * torch.randn(len(row)) + 0.3 * torch.randn(1)) for row in logps]
    squares = [torch.logsumexp(2 * d, dim=-1) for d in distributions]
    return Data(logps, refs, squares), distributions


pairs, distributions = random_pairs()
MISMATCHED = f32(-torch.rand(len(pairs.lengths), 3))
MISMATCHED_REF = f32(MISMATCHED - 0.6 * torch.rand(len(pairs.lengths), 3))

DPO = [
    {"loss_type": name}
    for name in (
        "sigmoid", "hinge", "ipo", "nca_pair", "bco_pair", "sppo_hard", "aot", "aot_unpaired", "apo_zero", "apo_down",
        "discopop", "sft", "sigmoid_norm",
    )
]  # fmt: skip
DPO += [
    {"loss_type": "exo_pair", "label_smoothing": 1e-3},
    {"loss_type": "robust", "label_smoothing": 0.1},
    {"loss_type": "aot", "label_smoothing": 0.1, "beta": 0.5},
    {"loss_type": "discopop", "discopop_tau": 0.5, "beta": 0.7},
    {"loss_type": ["sigmoid", "bco_pair", "sft"], "loss_weights": [0.8, 0.2, 1.0]},
    {"loss_type": "sigmoid", "beta": 0.5, "ld_alpha": 0.3},
    {"loss_type": "ipo", "ld_alpha": 0.0},
    {"loss_type": "sigmoid", "use_weighting": True},
    *[
        {"loss_type": name, "f_divergence_type": kind, "beta": 0.4}
        for name in ("sigmoid", "hinge", "ipo")
        for kind in ("forward_kl", "js_divergence", "alpha_divergence")
    ],
]
OTHERS = [
    ("kto", {}),
    ("kto", {"beta": 0.5, "desirable_weight": 1.25, "undesirable_weight": 0.75}),
    ("kto", {"loss_type": "apo_zero_unpaired"}),
    ("orpo", {}),
    ("orpo", {"beta": 0.5}),
    ("cpo", {}),
    ("cpo", {"label_smoothing": 0.1, "cpo_alpha": 0.5}),
    ("cpo", {"loss_type": "hinge"}),
    ("cpo", {"loss_type": "ipo", "cpo_alpha": 0.0}),
    ("cpo", {"loss_type": "simpo", "beta": 2.0, "simpo_gamma": 1.0, "cpo_alpha": 0.0}),
]


def of_model():
    """Both completions of two groups of llama_tied.json, as transformers scores them."""
    fixture = json.loads((HERE.parents[3] / "test/golden/llama_tied.json").read_text())
    (scores,) = [one["logprob"] for one in fixture["scores"] if one["temperature"] == 1.0]
    flat = torch.from_numpy(np.frombuffer(base64.b64decode(scores["data"]), "<f8").copy())
    lengths = [len(c) for group in fixture["groups"] for c in group["completions"]]
    rows = dict(zip([(g, c) for g, one in enumerate(fixture["groups"]) for c in range(len(one["completions"]))],
                    flat.split(lengths)))  # fmt: skip
    logps = [rows[place] for place in ((0, 0), (1, 0), (0, 1), (1, 1))]
    return Data(logps, [f32(row + 0.3 * torch.randn(len(row))) for row in logps])


def rows_of(data, values):
    return [values[i, :n].tolist() for i, n in enumerate(data.lengths)]


model = of_model()
golden = {
    "versions": {name: importlib.metadata.version(name) for name in ("torch", "trl")},
    "vocabulary": VOCABULARY,
    "pairs": {
        "logprobs": rows_of(pairs, pairs.logps),
        "ref": rows_of(pairs, pairs.refs),
        "distributions": [d.flatten().tolist() for d in distributions],
        "mismatched": MISMATCHED.tolist(),
        "mismatchedRef": MISMATCHED_REF.tolist(),
        "cases": [
            *[case("dpo", pairs, **options) for options in DPO],
            *[case(stage, pairs, **options) for stage, options in OTHERS],
        ],
    },
    "model": {
        "ref": rows_of(model, model.refs),
        "cases": [
            *[case("dpo", model, loss_type=name) for name in ("sigmoid", "hinge", "ipo", "bco_pair", "apo_zero")],
            case("orpo", model),
            case("cpo", model, loss_type="simpo", cpo_alpha=0.0),
        ],
    },
}
(HERE / "preferences.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")

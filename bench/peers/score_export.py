"""What transformers, or PEFT beside a base, say of given tokens: score_export.py TEXTS FOLDER [BASE].

The same model is computed in float64 too, positions and norms included, which transformers computes in float32 whatever the
weights are: how far from that both float32 engines are is a figure of its own.
"""

import json
import sys

import peft
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    folder, base = sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    torch.set_num_threads(given["threads"])
    texts = given["texts"]
    same = None
    if base is None:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        ids = [tokenizer(text["text"], add_special_tokens=False)["input_ids"] for text in texts]
        same = sum(own == text["prefix"] + text["tokens"] for own, text in zip(ids, texts))
        by = f"transformers {transformers.__version__}"
    else:
        by = f"PEFT {peft.__version__}"
    model = AutoModelForCausalLM.from_pretrained(base or folder, dtype=torch.float32)
    if base is not None:
        model = peft.PeftModel.from_pretrained(model, folder)
    model.eval()
    own = torch.tensor(given["logprobs"], dtype=torch.float64)
    found = logprobs(model, texts)
    exact = logprobs(in_float64(model), texts)
    mean, largest = difference(own, found)
    result = {"by": by, "sameTokens": same, "tokens": len(found), "mean": mean, "largest": largest}
    for name, scores in (("ownError", own), ("theirError", found)):
        result[name] = dict(zip(("mean", "largest"), difference(scores, exact)))
    print(json.dumps(result))


def logprobs(model, texts) -> torch.Tensor:
    found = []
    with torch.no_grad():
        for text in texts:
            logits = model(torch.tensor([text["prefix"] + text["tokens"]])).logits[0]
            scores = torch.log_softmax(logits.double(), -1)
            first = len(text["prefix"]) - 1
            found += [scores[first + i, token].item() for i, token in enumerate(text["tokens"])]
    return torch.tensor(found, dtype=torch.float64)


def difference(one: torch.Tensor, two: torch.Tensor) -> tuple[float, float]:
    changes = (one - two).abs()
    return changes.mean().item(), changes.max().item()


def in_float64(model):
    """The same weights; frequencies of plain positions are those of the formula, scaled ones those of the library."""
    model.double()
    for module in model.modules():
        kind = type(module).__name__
        if kind.endswith("RMSNorm"):
            module.forward = lambda x, own=module: own.weight * (
                x * torch.rsqrt(x.square().mean(-1, keepdim=True) + own.variance_epsilon)
            )
        elif kind.endswith("RotaryEmbedding"):
            module.forward = lambda x, position_ids, own=module: turns(own, position_ids)
    return model


def turns(module, position_ids) -> tuple[torch.Tensor, torch.Tensor]:
    frequencies = module.inv_freq.double()
    if module.rope_type == "default":
        count = 2 * len(frequencies)
        powers = torch.arange(0, count, 2, dtype=torch.float64) / count
        frequencies = module.config.rope_parameters["rope_theta"] ** -powers
    angles = position_ids[..., None].double() * frequencies
    angles = torch.cat((angles, angles), -1)
    return angles.cos() * module.attention_scaling, angles.sin() * module.attention_scaling


main()

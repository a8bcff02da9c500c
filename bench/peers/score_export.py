"""What transformers, or PEFT beside a base, say of given tokens: score_export.py TEXTS FOLDER [BASE]."""

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
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        ids = [tokenizer(text["text"], add_special_tokens=False)["input_ids"] for text in texts]
        same = sum(own == text["prefix"] + text["tokens"] for own, text in zip(ids, texts))
        by = f"transformers {transformers.__version__}"
    else:
        beside = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
        model = peft.PeftModel.from_pretrained(beside, folder)
        by = f"PEFT {peft.__version__}"
    model.eval()
    found = []
    with torch.no_grad():
        for text in texts:
            logits = model(torch.tensor([text["prefix"] + text["tokens"]])).logits[0]
            logprobs = torch.log_softmax(logits.double(), -1)
            first = len(text["prefix"]) - 1
            found += [logprobs[first + i, token].item() for i, token in enumerate(text["tokens"])]
    changes = (torch.tensor(found) - torch.tensor(given["logprobs"])).abs()
    result = {"by": by, "sameTokens": same, "tokens": len(found), "mean": changes.mean().item(), "largest": changes.max().item()}
    print(json.dumps(result))


main()

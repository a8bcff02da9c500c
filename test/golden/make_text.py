"""text.json: texts through the Rust tokenizers, conversations through transformers' chat templates; see README.md.

The two tokenizers are trained here on this repository's documents, with the parts that SmolLM2's and Qwen's have.
The templates of Qwen2.5, Qwen3 and Llama 3 are those that TRL ships (Apache-2.0).
"""

import base64
import json
import random
from pathlib import Path

import trl
from golden_common import HERE, versions
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers.utils.chat_template_utils import render_jinja_template

QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def trained(normalizer, pre):
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    corpus = [path.read_text() for path in sorted(HERE.parents[1].glob("docs/*.md"))]
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
                                  special_tokens=[AddedToken(text, special=True, normalized=False) for text in SPECIALS])
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


def texts():
    r = random.Random(5)
    fixed = ["", " ", "\n\n  x", "Hello, world!", "3 * 2 + 7 = 13", "don't WE'LL I'd", "1234567890", "٣٤٥ Ⅷ ½ x² 五",
             "naïve café e\u0301 \u212b", "日本語のテキスト", "🙂👩\u200d👩\u200d👧 🇩🇪", "a\u00a0b\u2003c\u3000d\ufeff", "tab\tand\r\nline  \n",
             "<|im_start|>user\nhi<|im_end|>", "<|im_end|><|im_end|>x<|endoftext|>", "<|im_end |>", "\u0000\u0001\u007f\u0085",
             "a \ufeffb\ufeff \ufeff\ufeffc  \ufeff", "a \u0085b\u0085 \u0085\u0085c  \u0085"]
    def char():
        k = r.random()
        if k < 0.4: return chr(r.randrange(32, 127))
        if k < 0.7: return chr(r.randrange(0xA0, 0xD800))
        if k < 0.8: return chr(r.randrange(0xE000, 0xFFFE))
        if k < 0.9: return chr(r.randrange(0x10000, 0x1FFFF))
        return r.choice(" \t\n\r0123456789'٣²½Ⅷ\u0301")
    return fixed + ["".join(char() for _ in range(r.randrange(1, 20))) for _ in range(160)]


def tokenizer_case(tokenizer, samples):
    r = random.Random(6)
    size = tokenizer.get_vocab_size()
    broken = [[r.randrange(size) for _ in range(r.randrange(1, 9))] for _ in range(60)]
    return {
        "tokenizer": json.loads(tokenizer.to_str()),
        "ids": [tokenizer.encode(text, add_special_tokens=False).ids for text in samples],
        # any ids: bytes that are no UTF-8 become U+FFFD
        "decoded": [[ids, tokenizer.decode(ids, skip_special_tokens=False)] for ids in broken],
    }


def without_bytes_case(tokenizer):
    """A vocabulary without the byte F2: what stands around it may be one token."""
    without, merge = "\u00f2", ["\u0124", "\u00b9"]
    changed = json.loads(tokenizer.to_str())
    model = changed["model"]
    del model["vocab"][without]
    model["vocab"]["".join(merge)] = 420
    model["merges"] = [merge] + [pair for pair in model["merges"] if without not in pair]
    rust = Tokenizer.from_str(json.dumps(changed))
    samples = ["\ua4c2\U000b9a47", "x\U000b9a47\U000b9a47 \ua4c2!\U000b9a47", "\U000b9a47"]
    ids = [rust.encode(text, add_special_tokens=False).ids for text in samples]
    return {"without": without, "merge": merge, "texts": samples, "ids": ids}


CONVERSATIONS = [
    [{"role": "user", "content": "2 + 3 = ?"}],
    [{"role": "system", "content": "Answer with a number."}, {"role": "user", "content": "  2 + 3 = ?\n"}],
    [{"role": "system", "content": "Answer with a number."}, {"role": "user", "content": "1 + 1 = ?"},
     {"role": "assistant", "content": "2"}, {"role": "user", "content": "a < b & \"c\"\n\n日本 🙂"}],
    [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "<think>\nwell\n</think>\n\nhello"},
     {"role": "user", "content": "again"}],
]
TOKENS = {"bos_token": "<|begin_of_text|>", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
          "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
SMOLLM2 = ("{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
           "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
           "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
           "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def template_cases():
    folder = Path(trl.__file__).parent / "chat_templates"
    from_trl = {"qwen2.5": ("qwen2_5", [{}]), "qwen3": ("qwen3", [{}, {"enable_thinking": True}, {"enable_thinking": False}]),
                "llama3": ("llama3", [{}]), "llama3.2": ("llama3_2", [{"date_string": "26 Jul 2024"}])}
    templates = {"chatml": (CHATML, [{}]), "smollm2": (SMOLLM2, [{}])}
    templates |= {name: ((folder / f"{file}.jinja").read_text(), kwargs) for name, (file, kwargs) in from_trl.items()}
    cases = {}
    for name, (template, all_kwargs) in templates.items():
        rendered = []
        for kwargs in all_kwargs:
            for messages in CONVERSATIONS:
                [text], _ = render_jinja_template([messages], chat_template=template, add_generation_prompt=True, **TOKENS, **kwargs)
                rendered.append({"messages": messages, "kwargs": kwargs, "text": text})
        cases[name] = {"template": template, "rendered": rendered}
    return cases


def main():
    samples = texts()
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    bare = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level])
    split = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN), "isolated"), bare])
    smollm, qwen2 = trained(None, digits), trained(normalizers.NFC(), split)
    fixture = {
        "about": "see make_text.py",
        "versions": versions(),
        # UTF-8 in base64, so that no editor and no git setting changes a character
        "texts": [base64.b64encode(text.encode()).decode() for text in samples],
        "tokenizers": {"smollm": tokenizer_case(smollm, samples),
                       "qwen2": tokenizer_case(qwen2, samples)},
        "without_bytes": without_bytes_case(smollm),
        "tokens": TOKENS,
        "templates": template_cases(),
    }
    text = json.dumps(fixture, separators=(",", ":"), ensure_ascii=True) + "\n"
    print("text.json", len(text))
    assert len(text) < 100_000
    (HERE / "text.json").write_text(text)


if __name__ == "__main__":
    main()

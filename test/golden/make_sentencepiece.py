"""sentencepiece.json: tiny models of SentencePiece as llama.cpp's converter writes them into GGUF metadata, and what they make
of texts.

Needs the package `sentencepiece` (0.2.3) alone. Texts are taken as they are (`identity`, no white space removed), as the
models of Llama, Mistral and Gemma take them.
"""

import io
import json
from importlib.metadata import version
from pathlib import Path

import sentencepiece as spm

HERE = Path(__file__).parent
CORPUS = [
    "The quick brown fox jumps over the lazy dog, and the dog sleeps on; the fox thinks of other things than the dog.",
    "Numbers such as 12, 120 and 1200 are added: 12 + 120 = 132. What is 3 times 40? It is 120, as 4 times 30 is.",
    "def add(a, b):  return a + b    # indented by blanks,  twice   or thrice",
    "Straße, naïve, café, Zürich, Øresund; мир и город, город и мир.",
    "banana bandana bananas; aaaa aaa aa a; hahahaha haha ha.",
] * 20
TEXTS = [
    "", " ", "   ", "a", " a", "a ", "The dog", " The dog ", "the  fox   jumps    on", "banana", "bananaaaaa", "aaaaaaaaaaaaa",
    "12 + 120 = 132", "1234567890", "café Straße", "мир", "漢字", "x漢y字字z", "😀", "a😀b", "tab\tand\nline\n\nend", "▁a▁b",
    "<s>", "</s> <unk> <0x41>", "ab<tool>cd", "<tool><tool>", " <tool> a", "a    b     c", "hahahahahaha ha", "e\u0301", "\u0000\u0007",
]
MODELS = {
    "bytes": dict(model_type="bpe", byte_fallback=True, vocab_size=420),
    "bytes without a blank before": dict(model_type="bpe", byte_fallback=True, add_dummy_prefix=False, vocab_size=420),
    "unknown": dict(model_type="bpe", vocab_size=160),
    "own pieces": dict(model_type="bpe", byte_fallback=True, add_dummy_prefix=False, vocab_size=420,
                       user_defined_symbols=["<tool>", "▁▁", "▁▁▁▁", "\n"]),
    "unigram": dict(model_type="unigram", byte_fallback=True, vocab_size=340),
}


def train(options):
    out = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=out, normalization_rule_name="identity", remove_extra_whitespaces=False,
        max_sentence_length=1000, minloglevel=2, character_coverage=1.0, num_threads=1, unk_surface="<unk>", **options)
    return spm.SentencePieceProcessor(model_proto=out.getvalue())


def kind(model, i):
    if model.is_unknown(i):
        return 2
    if model.is_control(i):
        return 3
    if model.is_unused(i):
        return 5
    if model.is_byte(i):
        return 6
    return 4 if model.get_score(i) == 0 and model.id_to_piece(i) in OWN else 1


OWN = set(MODELS["own pieces"]["user_defined_symbols"])


def metadata(model, options):
    kinds = [kind(model, i) for i in range(len(model))]
    # The converter writes user-defined pieces as they are in a text.
    pieces = [model.id_to_piece(i).replace("▁", " ") if kinds[i] == 4 else model.id_to_piece(i) for i in range(len(model))]
    return {"model": "llama", "tokens": pieces, "scores": [model.get_score(i) for i in range(len(model))], "token_type": kinds,
            "bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0,
            "add_space_prefix": options.get("add_dummy_prefix", True)}


def main():
    models = {}
    for name, options in MODELS.items():
        model = train(options)
        texts = [{"text": text, "ids": model.encode(text), "decoded": model.decode(model.encode(text))} for text in TEXTS]
        models[name] = {"metadata": metadata(model, options), "texts": texts}
    golden = {"about": "see make_sentencepiece.py", "versions": {"sentencepiece": version("sentencepiece")}, "models": models}
    text = json.dumps(golden, ensure_ascii=True, separators=(",", ":"))
    (HERE / "sentencepiece.json").write_text(text.replace("},{", "},\n{") + "\n")


if __name__ == "__main__":
    main()

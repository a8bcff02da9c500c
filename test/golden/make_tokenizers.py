"""Tokenizers of many kinds, and what the `tokenizers` library makes of texts with them; see README.md.

    python make_tokenizers.py FOLDER     every kind with every text, tens of megabytes, for tools/tokenizer_table.mjs
    python make_tokenizers.py            tokenizers/ here: a few texts with one kind for each part

Each kind has the normalizer, pre-tokenizer, model, decoder and post-processor of a published tokenizer, with a
vocabulary of a few hundred tokens learned here.
"""

import base64
import io
import json
import random
import sys
from pathlib import Path

import sentencepiece
import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P

HERE = Path(__file__).parent

# --- texts -----------------------------------------------------------------------------------------------------------

PHRASES = [
    "The quick brown fox jumps over the lazy dog.", "Hello, world! It's 5 o'clock; we'll see what they've done.",
    "I'M SURE THEY'D'VE SAID SO, DON'T YOU THINK?", "ÀÉÎÕÜ naïve façade Ångström coöperate", "e\u0301a\u0300o\u0302 combining",
    "Straße GROSSE STRASSE ß ẞ ſ", "İstanbul ısı Iğdır", "ΑΒΓΔ οδυσσεύς ΟΔΥΣΣΕΥΣ ς", "Привет, мир! Ёлка й и\u0306",
    "שָׁלוֹם עולם", "مرحبا بالعالم ١٢٣ لا", "नमस्ते दुनिया १२३ क्षत्रिय", "বাংলা ভাষা ৪৫৬", "தமிழ் மொழி", "ไทยภาษา ๑๒๓ สวัสดี",
    "ភាសាខ្មែរ", "မြန်မာစာ", "ქართული ენა", "Հայերեն լեզու", "አማርኛ ቋንቋ", "中文分词测试，你好。", "日本語のテキスト、カタカナとひらがな。ー々",
    "한국어 텍스트 가나다", "한글 decomposed", "ﾊﾝｶｸ ｶﾀｶﾅ ＦＵＬＬ ｗｉｄｔｈ １２３", "Tiếng Việt có dấu", "ﬁ ﬂ ﬀ ligatures ½ ¼ ² ³ ¹ Ⅷ ⅷ ① ㈱ ㍿ ™ ©",
    "👩‍👩‍👧‍👦 family 👍🏽 🇩🇪🇫🇷 ❤️ ❤ ☺️", "🤷🏾‍♀️🏳️‍🌈🏴󠁧󠁢󠁥󠁮󠁧󠁿", "𝒜𝓑𝔠 𝟘𝟙𝟚 math", "𠀀𠀁 𪚥 rare han 㐀 豈", "𐐀𐐨 deseret 𐀀",
    "\ufeffBOM at the start", "in\ufeffside a\ufeff word", "\u0085next\u0085line", "zero\u200bwidth\u200cnon\u200djoin\u2060er", "no\u00a0break\u202fnarrow\u3000ideographic",
    "soft\u00adhyphen", "line\u2028sep para\u2029sep", "tab\tseparated\t\tvalues", "CRLF\r\nlines\r\n\r\nend\r", "\n\n\nthree newlines\n \n  \n", "   leading", "trailing   ",
    "many     spaces      inside", " ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\ufeff", "\u0085", "a", "1", ".", "é", "中", "👍", "\u0301", "\u0301\u0302", "ा",
    "\x00null\x01control\x7fdel\x1b[0m", "\ufffd replacement \ufffc object", "\ue000 private \U000f0000", "\u0378 unassigned \U0001fae8 new", "\ufdd0\ufdd1 noncharacters \uffff",
    "1234567890", "3.14159265358979", "1,234,567.89", "100000000000000000000000", "0xDEADBEEF 1e-10 0b1010", "2024-11-30T05:56:03Z", "+1 (555) 123-4567", "12 345 67 8 9",
    "x²+y³=z¹ 10⁵", "٣٤٥ and ३४५ and 三四五", "1st 2nd 3rd 4th", "def f(x):\n    return x ** 2  # square\n", "for (let i = 0; i < n; ++i) { a[i] += b[i]; }\n",
    "\tif (x != NULL && *x++ == '\\0') goto end;\n", "<div class=\"a b\">&nbsp;&amp;</div>", "SELECT * FROM t WHERE a='b';--", "{\"key\": [1, 2.50, null], \"é\": \"\\u00e9\"}",
    "https://example.com/a_b?c=d&e=%20f#g", "user@example.co.uk", "camelCaseWord PascalCase snake_case_word kebab-case SCREAMING_SNAKE", "C++ C# .NET node.js", "$100 €50 £20 ¥10 ₹5 50% #1 @me",
    "``quoted'' \"straight\" “curly” ‘single’ «guillemets» „low“", "dash - – — ― minus − … ‥", "!!! ??? ... ---- ==== ____ ~~~~", "(a) [b] {c} <d> |e| \\f/ ^g `h`", "a' 'b 's 'S 'T 'LL 'Ll n't 'm do not",
    "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋ ≤ ∞", "\\frac{1}{2} \\sqrt{x_1^2} $$a \\neq b$$", "H₂O CO₂ Fe³⁺", "▁already▁marked ▁", "Ġalready Ċmarked", "<0x0A> <0xE2><0x98>", "##hash ##tags", "</w> word</w>",
    "hello hello hello", "HELLO Hello hello", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ababababababab", "supercalifragilisticexpialidocious", "ａｂｃ～ｄ ～ ~", "ق ک ی ي ك", "ʼn ŉ ǆ ǅ Ǆ", "ა Ა Ꭰ ꭰ",
    "a\u0300\u0316b\u0316\u0300", "\u1100\u1161\u11a8 \uac01", "K Å Ω kelvin ångström ohm", "\u0130\u0069\u0307", "\u037e;\u0387·", "\ufb1d\u05d9\u05b4", "x\u20e3 1\ufe0f\u20e3 #️⃣", "\u0e33\u0e4d\u0e32",
    "a\u0903b \u093e \u0488", "_a_ __b__ \u203fc\u203f", "\u2160\u2170 \u3007 \u3021", "\u00aa\u00ba\u02b0", "\u16ee\u2cef\u0345",
]  # fmt: skip


def make_texts(seed=1, count=982):
    """Phrases, pairs and triples of them; `{S}` becomes a special token of the tokenizer."""
    rng = random.Random(seed)
    texts = ["", *PHRASES]
    edges = ["{S}", "{S}{S}", " {S}", "{S} ", "a{S}b", "a {S} b", "a  {S}  b", "\n{S}\n", "1{S}2", "é{S}é", "_{S}_", ".{S}.", "{S}\u0085x", "x\u00a0{S}\u00a0x",
             "中{S}中", "x\ufeff{S}\ufeffx", "\t{S}\t{S}\t", "A{S}", "{S}A", "{S}\r\n", "\u0301{S}\u0301", "  {S}", "{S}  ", "x\u200b{S}\u200bx", "x²{S}²"]  # fmt: skip
    texts += edges * 3
    joins = ["", " ", "  ", "\n", "\t", "{S}", " {S}", "{S} ", " {S} ", "\u00a0", "\r\n", ", "]
    while len(texts) < count:
        parts = rng.choices(PHRASES, k=rng.choice([2, 2, 3]))
        text = parts[0]
        for part in parts[1:]:
            text += rng.choice(joins) + part
        if rng.random() < 0.3:
            chars = list(text)
            for _ in range(3):
                chars.insert(rng.randrange(len(chars) + 1), rng.choice(["{S}", "\u0301", "\ufeff", "\u200d", " ", "\n", "7", "é", "'s"]))
            text = "".join(chars)
        texts.append(text)
    return texts[:count]


def with_specials(texts, specials, seed):
    rng = random.Random(seed)
    made = []
    for text in texts:
        while "{S}" in text:
            text = text.replace("{S}", rng.choice(specials), 1)
        made.append(text)
    return made


# --- parts -----------------------------------------------------------------------------------------------------------

CORPUS = [p for p in PHRASES for _ in range(3)] + [f"The {a} {b} of it is {i}." for i in range(120) for a, b in [("same", "thing"), ("other", "word")]]
ALPHABET = P.ByteLevel.alphabet()
MORE = 1  # times the tokens: with many of them most words are one, so that a text split elsewhere is seen


def charsmap(rule):
    """The precompiled map of SentencePiece's normalization, base64."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS * 2), model_writer=out, vocab_size=800, hard_vocab_limit=False, minloglevel=2, **rule
    )
    from sentencepiece import sentencepiece_model_pb2 as pb

    proto = pb.ModelProto()
    proto.ParseFromString(out.getvalue())
    return proto.normalizer_spec.precompiled_charsmap


SMALL_RULES = HERE / "tokenizers" / "charsmap_rules.tsv"
CHARSMAP = None


def precompiled():
    return N.Precompiled(CHARSMAP)


SPLIT = P.Split
GPT2_RE = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3_RE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN_RE = LLAMA3_RE.replace("{1,3}", "")
QWEN35_RE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K_RE = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TEKKEN_RE = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K_RE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
DEEPSEEK_RE = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
BLOOM_RE = r" ?[^(\s|[.,!?…。，、।۔،])]+"
CLIP_RE = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def bytes_of(pattern, behavior="isolated"):
    return P.Sequence([SPLIT(Regex(pattern), behavior), P.ByteLevel(add_prefix_space=False, use_regex=False)])


def special(*texts, **flags):
    return [AddedToken(t, special=True, normalized=False, **flags) for t in texts]


def plain(*texts, normalized=False, **flags):
    return [AddedToken(t, special=False, normalized=normalized, **flags) for t in texts]


def template(single, *tokens):
    """Filled in when the ids are known."""
    return lambda t: processors.TemplateProcessing(single=single, pair=f"{single} $B:1", special_tokens=[(x, t.token_to_id(x)) for x in tokens])


def bpe(pre, normalizer=None, vocab=500, alphabet=ALPHABET, model=None, specials=(), **changes):
    t = Tokenizer(models.BPE(**(model or {})))
    if pre is not None:
        t.pre_tokenizer = pre
    if normalizer is not None:
        t.normalizer = normalizer
    keys = {k: v for k, v in (model or {}).items() if k in ("continuing_subword_prefix", "end_of_word_suffix")}
    trainer = trainers.BpeTrainer(vocab_size=int(vocab * MORE), initial_alphabet=alphabet, special_tokens=list(specials), show_progress=False, **keys)
    t.train_from_iterator(CORPUS, trainer)
    return edited(t, changes) if changes else t


def edited(t, changes):
    """With other keys of the model, which training does not take."""
    tree = json.loads(t.to_str())
    tree["model"].update(changes)
    return Tokenizer.from_str(json.dumps(tree))


def spm_bpe(normalizer, pre, decoder, **changes):
    """BPE of characters, bytes where there is none, as SentencePiece's models are written."""
    bytes_ = [f"<0x{b:02X}>" for b in range(256)]
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.normalizer = N.Replace(" ", "▁")
    t.pre_tokenizer = SPLIT("▁", "merged_with_next")
    trainer = trainers.BpeTrainer(vocab_size=int(700 * MORE), special_tokens=["<unk>", "<s>", "</s>", *bytes_], limit_alphabet=120, show_progress=False)
    t.train_from_iterator(CORPUS, trainer)
    tree = json.loads(t.to_str())
    tree["added_tokens"] = [a for a in tree["added_tokens"] if a["content"] in ("<unk>", "<s>", "</s>")]
    tree["model"].update(byte_fallback=True, fuse_unk=True, **changes)
    t = Tokenizer.from_str(json.dumps(tree))
    t.normalizer = normalizer
    t.pre_tokenizer = pre
    t.decoder = decoder
    return t


def unigram(normalizer, pre, decoder, specials, byte_fallback=False, vocab=420):
    t = Tokenizer(models.Unigram())
    if normalizer is not None:
        t.normalizer = normalizer
    t.pre_tokenizer = pre
    extra = [f"<0x{b:02X}>" for b in range(256)] if byte_fallback else []
    trainer = trainers.UnigramTrainer(vocab_size=int(vocab * min(MORE, 2)) + len(extra), special_tokens=[*specials, *extra], unk_token="<unk>", show_progress=False)
    t.train_from_iterator(CORPUS, trainer)
    tree = json.loads(t.to_str())
    tree["added_tokens"] = [a for a in tree["added_tokens"] if a["content"] in specials]
    tree["model"]["byte_fallback"] = byte_fallback
    if byte_fallback:  # rare letters go, so that there is something to fall back from
        pieces = tree["model"]["vocab"]
        tree["model"]["vocab"] = [p for i, p in enumerate(pieces) if i < len(specials) + 256 or ord(p[0][-1]) < 0x3000]
    t = Tokenizer.from_str(json.dumps(tree))
    t.decoder = decoder
    return t


def wordpiece(normalizer, pre, specials=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), **keys):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", **keys))
    t.normalizer = normalizer
    t.pre_tokenizer = pre
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=int(500 * MORE), limit_alphabet=150, special_tokens=list(specials), show_progress=False))
    t.decoder = decoders.WordPiece()
    return t


SPM_DECODER = lambda: decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])  # noqa: E731
LLAMA_NORM = lambda: N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])  # noqa: E731
BERT_POST = template("[CLS] $A [SEP]", "[CLS]", "[SEP]")


def made(t, decoder=None, post=None, add=()):
    if decoder is not None:
        t.decoder = decoder
    if add:
        t.add_tokens(list(add))
    if post is not None:
        t.post_processor = post(t) if callable(post) and not isinstance(post, processors.PostProcessor) else post
    return t


BL = decoders.ByteLevel
META = lambda scheme, split=True: P.Metaspace(replacement="▁", prepend_scheme=scheme, split=split)  # noqa: E731
DMETA = lambda scheme="always": decoders.Metaspace(replacement="▁", prepend_scheme=scheme)  # noqa: E731
CHATML = special("<|endoftext|>", "<|im_start|>", "<|im_end|>")
LLAMA3_TOKENS = special("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
SPM = ["<unk>", "<s>", "</s>"]

KINDS = {
    "gpt2": lambda: made(bpe(P.ByteLevel(add_prefix_space=False)), BL(), processors.ByteLevel(trim_offsets=False), special("<|endoftext|>")),
    "roberta": lambda: made(
        bpe(P.ByteLevel(add_prefix_space=False), specials=["<s>", "<pad>", "</s>", "<unk>"]), BL(),
        lambda t: processors.RobertaProcessing(("</s>", 2), ("<s>", 0)), special("<mask>", lstrip=True)),
    "opt": lambda: made(bpe(P.ByteLevel(add_prefix_space=False), specials=["<s>", "<pad>", "</s>"]), BL(), template("</s> $A", "</s>")),
    "longformer, prefix space": lambda: made(bpe(P.ByteLevel(add_prefix_space=True)), BL(), None, special("<s>", "</s>")),
    "llama 3": lambda: made(
        bpe(bytes_of(LLAMA3_RE), ignore_merges=True), BL(),
        lambda t: processors.Sequence([processors.ByteLevel(trim_offsets=False), template("<|begin_of_text|> $A", "<|begin_of_text|>")(t)]), LLAMA3_TOKENS),
    "qwen 2": lambda: made(bpe(bytes_of(QWEN_RE), N.NFC()), BL(), processors.ByteLevel(trim_offsets=False), CHATML),
    "qwen 3": lambda: made(bpe(bytes_of(QWEN_RE), N.NFC()), BL(), processors.ByteLevel(trim_offsets=False), [*CHATML, *plain("<think>", "</think>", "<tool_call>", "</tool_call>")]),
    "qwen 3.5": lambda: made(bpe(bytes_of(QWEN35_RE), N.NFC()), BL(), processors.ByteLevel(trim_offsets=False), CHATML),
    "smollm": lambda: made(bpe(P.Sequence([P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False)])), BL(), None, CHATML),
    "starcoder": lambda: made(bpe(P.Sequence([P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False)])), BL(), None, special("<fim_prefix>", "<fim_middle>", "<|endoftext|>")),
    "deepseek v3": lambda: made(
        bpe(P.Sequence([SPLIT(Regex(r"\p{N}{1,3}"), "isolated"), SPLIT(Regex("[一-龥\u3040-ゟ゠-ヿ]+"), "isolated"), SPLIT(Regex(DEEPSEEK_RE), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)])),
        BL(), template("<｜begin▁of▁sentence｜> $A", "<｜begin▁of▁sentence｜>"), [*special("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"), *plain("<｜User｜>", "<think>")]),
    "deepseek coder": lambda: made(
        bpe(P.Sequence([SPLIT(Regex("[\r\n]"), "isolated"), SPLIT(Regex(r"\s?\p{L}+"), "isolated"), SPLIT(Regex(r"\s?\p{P}+"), "isolated"), SPLIT(Regex("[一-龥\u0800-一가-\ud7ff]+"), "isolated"), P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False, use_regex=False)])),
        BL(), None, [*special("<｜begin▁of▁sentence｜>"), *plain("<｜fim▁hole｜>", "<|User|>")]),
    "gpt-neox": lambda: made(bpe(P.ByteLevel(add_prefix_space=False), N.NFC()), BL(), None, [*special("<|endoftext|>", "<|padding|>"), *plain("  ", "   ", "    ", "     ", normalized=True)]),
    "falcon": lambda: made(
        bpe(P.Sequence([P.Punctuation("contiguous"), P.ByteLevel(add_prefix_space=False), P.Digits(individual_digits=False), SPLIT(Regex("[0-9][0-9][0-9]"), "isolated")])),
        BL(), None, special(">>TITLE<<", "<|endoftext|>")),
    "phi 2": lambda: made(bpe(P.ByteLevel(add_prefix_space=False)), BL(), processors.ByteLevel(trim_offsets=False), [*special("<|endoftext|>"), *plain("       ", "      ", "\t\t\t", "\t\t", normalized=True)]),
    "phi 4": lambda: made(bpe(bytes_of(CL100K_RE)), BL(), None, special("<|im_start|>", "<|im_sep|>", lstrip=True, rstrip=True) + special("<|endoftext|>")),
    "gpt-oss": lambda: made(bpe(bytes_of(O200K_RE), ignore_merges=True), BL(), None, special("<|start|>", "<|message|>", "<|end|>")),
    "mistral nemo": lambda: made(bpe(bytes_of(TEKKEN_RE), ignore_merges=True), BL(), template("<s> $A", "<s>"), special("<unk>", "<s>", "</s>", "[INST]", "[/INST]")),
    "bloom": lambda: made(bpe(bytes_of(BLOOM_RE)), BL(), None, special("<unk>", "<s>", "</s>", "<pad>")),
    "clip": lambda: made(
        bpe(P.Sequence([P.Split(Regex(CLIP_RE), "removed", invert=True), P.ByteLevel(add_prefix_space=False, use_regex=False)]), N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()]),
            model=dict(unk_token="<|endoftext|>", end_of_word_suffix="</w>"), specials=["<|startoftext|>", "<|endoftext|>"], continuing_subword_prefix=""),
        BL(), lambda t: processors.RobertaProcessing(("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False)),
    "llama 2": lambda: made(spm_bpe(LLAMA_NORM(), None, SPM_DECODER()), None, template("<s> $A", "<s>")),
    "llama 2, metaspace": lambda: made(spm_bpe(None, META("first", False), SPM_DECODER()), None, template("<s> $A", "<s>")),
    "mistral": lambda: made(spm_bpe(LLAMA_NORM(), None, SPM_DECODER()), None, template("<s> $A", "<s>"), special("[INST]", "[/INST]", "[TOOL_CALLS]")),
    "phi 3": lambda: made(spm_bpe(LLAMA_NORM(), None, SPM_DECODER()), None, template("<s> $A", "<s>"), special("<|user|>", "<|assistant|>", "<|end|>", rstrip=True) + special("<|endoftext|>")),
    "gemma": lambda: made(
        spm_bpe(N.Replace(" ", "▁"), SPLIT(" ", "merged_with_previous"), decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])),
        None, template("<s> $A", "<s>"), [*special("<start_of_turn>", "<end_of_turn>"), *plain("\n\n", "\n\n\n", "▁▁", "▁▁▁", "<h1>", "\t\t")]),
    "yi, metaspace never": lambda: made(spm_bpe(None, META("never", False), decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])), None, None, special("<|im_start|>", "<|im_end|>")),
    "t5": lambda: made(
        unigram(precompiled(), P.Sequence([P.WhitespaceSplit(), META("always")]), DMETA(), ["<pad>", "</s>", "<unk>"]), None, template("$A </s>", "</s>"), special("<extra_id_0>", "<extra_id_1>")),
    "t5, metaspace alone": lambda: made(unigram(precompiled(), META("always"), DMETA(), ["<pad>", "</s>", "<unk>"]), None, template("$A </s>", "</s>"), special("<extra_id_0>", lstrip=True, rstrip=True)),
    "xlm-roberta": lambda: made(
        unigram(precompiled(), P.Sequence([P.WhitespaceSplit(), META("always")]), DMETA(), ["<s>", "<pad>", "</s>", "<unk>"]), None, template("<s> $A </s>", "<s>", "</s>"), special("<mask>", lstrip=True)),
    "albert": lambda: made(
        unigram(N.Sequence([N.Replace("``", '"'), N.Replace("''", '"'), N.NFKD(), N.StripAccents(), N.Lowercase(), precompiled(), N.Replace(Regex(" {2,}"), " ")]), P.Sequence([P.WhitespaceSplit(), META("always")]), DMETA(), ["<pad>", "<unk>", "[CLS]", "[SEP]"]),
        None, template("[CLS] $A [SEP]", "[CLS]", "[SEP]"), special("[MASK]", lstrip=True)),
    "deberta v3": lambda: made(
        unigram(N.Sequence([N.Strip(), precompiled(), N.Replace(Regex(" {2,}"), " ")]), META("always"), DMETA(), ["[PAD]", "[CLS]", "[SEP]", "<unk>"]), None, template("[CLS] $A [SEP]", "[CLS]", "[SEP]"), plain("[MASK]", normalized=True)),
    "nllb": lambda: made(unigram(precompiled(), META("always"), DMETA(), ["<s>", "<pad>", "</s>", "<unk>"]), None, template("eng_Latn $A </s>", "eng_Latn", "</s>"), special("eng_Latn", "fra_Latn")),
    "xlnet": lambda: made(
        unigram(N.Sequence([N.Replace("``", '"'), N.NFKD(), N.StripAccents(), precompiled(), N.Replace(Regex(" {2,}"), " ")]), META("always"), DMETA(), ["<unk>", "<s>", "</s>", "<cls>", "<sep>"]), None, template("$A <sep> <cls>", "<sep>", "<cls>")),
    "unigram with bytes": lambda: made(
        unigram(None, META("first"), SPM_DECODER(), SPM, byte_fallback=True), None, template("<s> $A", "<s>"), special("<|im_start|>", "<|im_end|>")),
    "bert uncased": lambda: made(wordpiece(N.BertNormalizer(lowercase=True), P.BertPreTokenizer()), None, BERT_POST),
    "bert cased": lambda: made(wordpiece(N.BertNormalizer(lowercase=False), P.BertPreTokenizer()), None, BERT_POST),
    "bert with accents": lambda: made(wordpiece(N.BertNormalizer(lowercase=True, strip_accents=False, handle_chinese_chars=False, clean_text=False), P.BertPreTokenizer()), None, lambda t: processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))),
    "gpt": lambda: made(bpe(P.BertPreTokenizer(), N.BertNormalizer(lowercase=True), alphabet=[], model=dict(unk_token="<unk>", end_of_word_suffix="</w>"), specials=["<unk>"]), decoders.BPEDecoder("</w>")),
    "wordpiece of words": lambda: made(wordpiece(N.Sequence([N.NFD(), N.Lowercase(), N.StripAccents()]), P.Whitespace(), max_input_chars_per_word=20), decoders.WordPiece(cleanup=False), BERT_POST),
    "bpe with prefix": lambda: made(bpe(P.Whitespace(), N.NFKC(), alphabet=[], model=dict(unk_token="[UNK]", continuing_subword_prefix="##"), specials=["[UNK]"]), decoders.WordPiece("##")),
    "bpe without fused unknowns": lambda: cut(bpe(P.WhitespaceSplit(), N.NFKD(), vocab=700, alphabet=[], model=dict(unk_token="<unk>"), specials=["<unk>"]), False),
    "bpe with fused unknowns": lambda: cut(bpe(P.WhitespaceSplit(), N.NFKD(), vocab=700, alphabet=[], model=dict(unk_token="<unk>"), specials=["<unk>"]), True),
    "bpe without unknowns": lambda: cut(bpe(P.WhitespaceSplit(), None, vocab=700, alphabet=[]), None),
    "words": lambda: words(P.Whitespace(), N.Lowercase()),
    "words at blanks": lambda: words(P.CharDelimiterSplit(" "), N.Sequence([N.Nmt(), N.Strip(right=False)])),
    "letters, ctc": lambda: letters(),
    "added tokens": lambda: made(
        bpe(P.ByteLevel(add_prefix_space=False), N.Lowercase()), BL(), None,
        [*special("<W>", single_word=True), *special("<L>", lstrip=True), *special("<R>", rstrip=True), *plain("Hello", normalized=True, single_word=True), *plain("WORLD", normalized=True), *plain("fox", lstrip=True, rstrip=True), *special("<LR>", lstrip=True, rstrip=True, single_word=True), *plain("<a", "<a b", "<a b c>")]),
    "split, merged with next": lambda: made(bpe(P.Sequence([SPLIT(Regex(r"\s+"), "merged_with_next"), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "split, merged with previous": lambda: made(bpe(P.Sequence([SPLIT(Regex(r"\W"), "merged_with_previous"), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "split, contiguous": lambda: made(bpe(P.Sequence([SPLIT(Regex(r"\w"), "contiguous"), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "split, removed": lambda: made(bpe(P.Sequence([SPLIT(Regex(r"[\d\s]"), "removed"), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "split, inverted": lambda: made(bpe(P.Sequence([P.Split(Regex(r"\b\w+\b"), "isolated", invert=True), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "punctuation": lambda: made(bpe(P.Sequence([P.Punctuation("merged_with_previous"), P.Digits(), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "fixed length": lambda: made(bpe(P.Sequence([P.FixedLength(5), P.ByteLevel(add_prefix_space=False, use_regex=False)])), BL(), None, special("<|end|>")),
    "scripts": lambda: made(unigram(N.NFKC(), P.Sequence([P.UnicodeScripts(), META("always")]), DMETA(), SPM), None, None, special("<|end|>")),
    "bytes before the split": lambda: made(bpe(SPLIT(Regex("Ġ"), "merged_with_next"), N.ByteLevel()), BL(), None, special("<|end|>")),
}  # fmt: skip


# Oniguruma's words, each of which JavaScript has otherwise or not at all.
PATTERNS = [
    GPT2_RE, LLAMA3_RE, QWEN_RE, QWEN35_RE, O200K_RE, TEKKEN_RE, CL100K_RE, DEEPSEEK_RE, BLOOM_RE, CLIP_RE,
    r"\w+", r"\W+", r"[\w]+", r"[^\w]+", r"[\W]+", r"\d+", r"\D+", r"[\d.]+", r"\s+", r"\S+", r"[^\S\n]+", r"\h+", r"[\H]+", r"\b", r"\B", r"^.", r".$", r"\A.", r".\z", r".\Z", r".+",
    r"(?i:'s|k|å)", r"(?i)hello", r"(?i:[a-f]+)", r"(?i:[^a-f]+)", r"a(?i)b|c", r"(?>a+)b", r"a++", r"a?+b", r"(a|b){2,3}", r"(ab){2}+", r"a{,3}", r"a{2}?", r"a{1,2}?", r"x{", r"x{y}", r"[]a]+", r"[a\]]+", r"[a-]+", r"[-a]+", r"[\-.]+", r"[a&&b]", r"[\p{L}&&[^a-z]]+", r"[\p{L}&&\p{Lu}]+", r"[[:alpha:]]+", r"[[:^alpha:]]+", r"[[:punct:]]+", r"[[:space:]]+", r"[[:upper:][:digit:]]+", r"[a[bc]d]+",
    r"\p{Han}+", r"\p{Script=Han}+", r"\p{^L}+", r"\P{^L}+", r"\p{Alpha}+", r"\p{Alnum}+", r"\p{Punct}+", r"\p{Word}+", r"\p{Upper}+", r"\p{Lu}", r"[\P{L}]+", r"\x41", r"\x{e9}", r"\u00e9", r"\t|\n|\r", r"\.", r"\/|\-|\_|\\\"", r"(?<=a)b", r"(?<!a)b", r"a(?=b)", r"a(?!b)", r"(?<n>a)b", r"|a", r"a|", r"", r"a*", r"(?:)", r"[\s\S]", r"\n+(?=\S)", r"\R", r"\X", r"(?s:.)", r"(?m:.+)", r"(?x: a )", r"\1", r"(a)\1", r"[[=a=]]", r"[a-\d]", r"[z-a]", r"*a", r"(a", r"a)", r"[a", r"\p{Nope}",
]  # fmt: skip
PATTERN_TEXT = "Hello, K'S ſtraße k'ſ\n a\ta ab aab abab  ba\u0085\u00a0\ufeffx² ½ 漢字 ÅÉé 12 १२ Ⅷ\r\n{x{y}} []-.]a&&b! É_\u200d\u203f A\\\"/ 🇩🇪e\u0301"


def pieces(pattern):
    """The parts of the text, or None where it is no pattern."""
    try:
        return [piece for piece, _ in SPLIT(Regex(pattern), "isolated").pre_tokenize_str(PATTERN_TEXT)]
    except Exception:  # noqa: BLE001
        return None


def cut(t, fuse):
    """Without the letters beyond Latin-1, which are then unknown."""
    tree = json.loads(t.to_str())
    model = tree["model"]
    kept = [w for w in model["vocab"] if all(ord(c) < 0x250 for c in w) and not set(w) & set("qzQ7")]
    model["vocab"] = {w: i for i, w in enumerate(kept)}
    pairs = [m if isinstance(m, list) else m.split(" ") for m in model["merges"]]
    model["merges"] = [m for m in pairs if all(x in model["vocab"] for x in [*m, "".join(m)])]
    if fuse is not None:
        model["fuse_unk"] = fuse
    return Tokenizer.from_str(json.dumps(tree))


def words(pre, normalizer):
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.normalizer = normalizer
    t.pre_tokenizer = pre
    t.train_from_iterator(CORPUS, trainers.WordLevelTrainer(vocab_size=int(300 * MORE), special_tokens=["[UNK]", "[PAD]"], show_progress=False))
    return t


def letters():
    vocab = {w: i for i, w in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAOINSHRDLUMWCFGYPBVK'XJQZ"])}
    t = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    t.pre_tokenizer = P.Sequence([SPLIT(" ", "isolated"), SPLIT(Regex("."), "isolated")])
    t.decoder = decoders.CTC(pad_token="<pad>", word_delimiter_token="|", cleanup=True)
    t.add_special_tokens(["<pad>", "<s>", "</s>", "<unk>"])
    return t


# One for each part that a kind may have.
SMALL_KINDS = {
    "roberta", "llama 3", "qwen 3", "falcon", "phi 4", "clip", "mistral", "llama 2, metaspace", "gemma", "t5", "deberta v3", "unigram with bytes",
    "bert uncased", "gpt", "bpe with prefix", "bpe with fused unknowns", "words at blanks", "letters, ctc", "added tokens",
    "split, merged with next", "split, merged with previous", "split, contiguous", "punctuation", "fixed length", "bytes before the split",
}  # fmt: skip
FEW = [*PHRASES[:3] * 3, "the fox's 12 dogs, they're e\u0301 中文 \u0130 <mask> hello Hello"]

# --- files beside tokenizer.json ------------------------------------------------------------------------------------

FLAGS = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
FOLDER_TEXTS = ["a <x> b", "a<x>b", "<s>a</s>", "<s> A </s>", "<y>  a", "a <z> <Z> b", "ab", "<t>a<u>"]
VOCAB = {w: i for i, w in enumerate(["[unk]", "<s>", "</s>", "a", "b", "ab", " ", "<", ">", "x", "s", "/"])}


def folder_base(added=(), post=None):
    t = Tokenizer(models.BPE(VOCAB, [("a", "b")], unk_token="[unk]"))
    t.normalizer = N.Lowercase()
    t.add_tokens(list(added))
    if post:
        t.post_processor = post(t)
    return json.loads(t.to_str())


FOLDERS = {
    "tokenizer.json alone": (folder_base(special("<s>", "</s>")), {}),
    "special tokens of the config": (folder_base(), {"tokenizer_config.json": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "[unk]"}}),
    "special tokens as objects": (folder_base(), {"tokenizer_config.json": {"bos_token": {"__type": "AddedToken", "content": "<s>", "lstrip": True, "rstrip": True, "normalized": False, "single_word": False}, "eos_token": "</s>"}}),
    "added_tokens_decoder": (folder_base(special("<s>")), {"tokenizer_config.json": {"bos_token": "<s>", "added_tokens_decoder": {"1": {"content": "<s>", **FLAGS}, "12": {"content": "<x>", **FLAGS}, "13": {"content": "<y>", **FLAGS, "rstrip": True}}}}),
    "added_tokens_decoder, other flags": (folder_base(special("<s>", "<x>")), {"tokenizer_config.json": {"added_tokens_decoder": {"1": {"content": "<s>", **FLAGS, "rstrip": True}, "12": {"content": "<x>", **FLAGS, "special": False, "single_word": True}}}}),
    "added_tokens_decoder, other ids": (folder_base(), {"tokenizer_config.json": {"added_tokens_decoder": {"40": {"content": "<x>", **FLAGS}, "30": {"content": "<y>", **FLAGS, "special": False, "normalized": True}}}}),
    "special_tokens_map.json": (folder_base(), {"tokenizer_config.json": {"eos_token": "</s>"}, "special_tokens_map.json": {"bos_token": "<s>", "eos_token": {"content": "<x>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}}}),
    "special_tokens_map.json beside a decoder": (folder_base(), {"tokenizer_config.json": {"eos_token": "</s>", "added_tokens_decoder": {}}, "special_tokens_map.json": {"eos_token": "<x>"}}),
    "added_tokens.json": (folder_base(), {"tokenizer_config.json": {"eos_token": "<y>"}, "added_tokens.json": {"<x>": 12, "<y>": 13}}),
    "added_tokens.json, known": (folder_base(special("<x>")), {"added_tokens.json": {"<z>": 13, "<x>": 12}}),
    "extra special tokens": (folder_base(), {"tokenizer_config.json": {"extra_special_tokens": ["<x>", "<y>"]}}),
    "additional special tokens": (folder_base(), {"tokenizer_config.json": {"additional_special_tokens": ["<x>", {"__type": "AddedToken", "content": "<y>", "lstrip": False, "rstrip": True, "normalized": False, "single_word": False, "special": True}]}}),
    "special tokens by name": (folder_base(), {"tokenizer_config.json": {"extra_special_tokens": {"tool_token": "<t>"}, "image_token": "<u>"}}),
    "a normalized one": (folder_base(plain("<Z>", normalized=True)), {"tokenizer_config.json": {"eos_token": "<Z>"}}),
    "bos by the post-processor": (folder_base(special("<s>"), template("<s> $A", "<s>")), {"tokenizer_config.json": {"bos_token": "<s>"}}),
    "bos by the post-processor, not by the config": (folder_base(special("<s>"), template("<s> $A", "<s>")), {"tokenizer_config.json": {"bos_token": "<s>", "add_bos_token": False}}),
}  # fmt: skip


def folders():
    """Each folder as `transformers` opens it."""
    import tempfile

    from transformers import PreTrainedTokenizerFast

    out = {}
    for name, (tree, files) in FOLDERS.items():
        with tempfile.TemporaryDirectory() as place:
            for file, content in {"tokenizer.json": tree, **files}.items():
                (Path(place) / file).write_text(json.dumps(content))
            t = PreTrainedTokenizerFast.from_pretrained(place)
        rows = []
        for text in FOLDER_TEXTS:
            ids = t(text, add_special_tokens=False)["input_ids"]
            whole = t(text)["input_ids"]
            rows.append([text, ids, whole[: len(whole) - len(ids)], t.decode(whole, skip_special_tokens=True)])
        named = {key: t.convert_tokens_to_ids(str(token)) for key, token in t.special_tokens_map.items() if isinstance(token, str)}
        out[name] = {"files": {"tokenizer.json": tree, **files}, "rows": rows, "named": named}
    return out


def specials_of(tree):
    return [a["content"] for a in tree["added_tokens"]] or ["<none>"]


def sampled(t, count, seed):
    """Tokens as a policy may sample them, which no text encodes to, with their text."""
    rng = random.Random(seed)
    ids = sorted(t.get_vocab().values())
    rows = [rng.choices(ids, k=rng.randrange(1, 9)) for _ in range(count)]
    return [[row, t.decode(row, skip_special_tokens=False)] for row in rows]


def answers(t, texts):
    rows = []
    for text in texts:
        ids = t.encode(text, add_special_tokens=False).ids
        whole = t.encode(text, add_special_tokens=True).ids
        decoded = [t.decode(whole, skip_special_tokens=skip) for skip in (False, True)]
        row = {"text": text, "ids": ids, "decoded": decoded[0]}
        if whole != ids:
            row["whole"] = whole
        if decoded[1] != decoded[0]:
            row["skipped"] = decoded[1]
        rows.append(row)
    return rows


def small(tree, t, texts, rng):
    """A few texts, of which each has what others have not."""
    chosen = rng.sample([x for x in texts if x and len(x) < 45], 8)
    return {"tokenizer": tree, "rows": answers(t, chosen), "sampled": sampled(t, 4, 7)}


def main(folder):
    global CHARSMAP, MORE, CORPUS
    MORE = 8 if folder else 0.6
    texts = make_texts()
    CHARSMAP = charsmap({"normalization_rule_name": "nmt_nfkc"} if folder else {"normalization_rule_tsv": str(SMALL_RULES)})
    if not folder:
        CORPUS = FEW
    rng = random.Random(5)
    out = {}
    for number, (name, make) in enumerate(KINDS.items()):
        if not folder and name not in SMALL_KINDS:
            continue
        t = make()
        tree = json.loads(t.to_str())
        if folder:
            rows = answers(t, with_specials(texts, specials_of(tree), number))
            (folder / f"{number:02d}.json").write_text(json.dumps({"kind": name, "tokenizer": tree, "rows": rows, "sampled": sampled(t, 200, number)}))
            print(f"{number:02d} {name}: {len(rows)} texts, {t.get_vocab_size()} tokens")
        else:
            out[name] = small(tree, t, with_specials(texts, specials_of(tree), number), rng)
    if not folder:
        import transformers

        versions = {m.__name__: m.__version__ for m in (tokenizers, transformers, sentencepiece)}
        patterns = {"text": PATTERN_TEXT, "patterns": [[p, pieces(p)] for p in PATTERNS]}
        write("patterns", {"versions": versions, **patterns})
        write("folders", {"versions": versions, "folders": folders()})
        names = list(out)
        for part in range(4):
            write(f"kinds_{part}", {"versions": versions, "kinds": {name: out[name] for name in names[part::4]}})


def write(name, value):
    text = json.dumps(value, separators=(",", ":")) + "\n"
    assert len(text) < 100_000, (name, len(text))
    (HERE / "tokenizers" / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)

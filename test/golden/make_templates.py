"""Goldens of chat templates, rendered by transformers' own Jinja2 environment.

All chat templates of TRL (Apache-2.0, Copyright The HuggingFace Team, trl/chat_templates/*.jinja) over conversations of
many kinds, as hashes, and short snippets with their full text.

Run: python test/golden/make_templates.py   (pip install jinja2 transformers; pip install --no-deps trl)
"""

import datetime
import gzip
import hashlib
import importlib.metadata
import json
import pathlib

from transformers.utils.chat_template_utils import _compile_jinja_template

FOLDER = pathlib.Path(__file__).parent / "templates"
NOW = datetime.datetime(2026, 3, 7, 14, 5, 9)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


def user(content, **more):
    return {"role": "user", "content": content, **more}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def system(content):
    return {"role": "system", "content": content}


def called(name, arguments, **more):
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": 'Looks "words" up; naïve – 言葉.',
        "parameters": {
            "type": "object",
            "properties": {
                "word": {"type": "string", "description": "The word", "enum": ["heron", "owl"]},
                "limit": {"type": "integer", "default": 5},
                "weight": {"type": ["number", "null"], "default": 1.0},
                "tags": {"type": "array", "items": {"type": "string"}},
                "where": {"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]},
            },
            "required": ["word"],
        },
        "return": {"type": "string", "description": "Its meaning"},
    },
}
PLAIN_TOOL = {"type": "function", "function": {"name": "now", "description": "The time", "parameters": {"type": "object", "properties": {}}}}
CALL = [user("What is a heron?"), assistant("", tool_calls=[called("look_up", {"word": "heron"})])]
RESULT = {"role": "tool", "name": "look_up", "content": "a bird"}

KINDS = {
    "one question": {"messages": [user("What is 2+2?")]},
    "asked": {"messages": [user("What is 2+2?")], "add_generation_prompt": True},
    "system": {"messages": [system("Be brief."), user("Hello")], "add_generation_prompt": True},
    "turns": {"messages": [user("a"), assistant("b"), user("c"), assistant("d")]},
    "system and turns": {"messages": [system("s"), user("a"), assistant("b"), user("c")], "add_generation_prompt": True},
    "two systems": {"messages": [system("one"), system("two"), user("a")], "add_generation_prompt": True},
    "two users": {"messages": [user("a"), user("b")]},
    "starts with an answer": {"messages": [assistant("a"), user("b")]},
    "blanks at the edges": {"messages": [user("\n  write code  \n"), assistant("\n    x = 1\n    y = 2\n\n"), user(" z\t")]},
    "carriage returns": {"messages": [user("a\r\nb\rc\n\r\n"), assistant("\r\nd\r\n")]},
    "empty texts": {"messages": [user(""), assistant(""), user("")], "add_generation_prompt": True},
    "no messages": {"messages": []},
    "unicode": {"messages": [user("naïve 言葉 🙂👩‍👩‍👧 \u00a0\u3000\ufeff"), assistant("🙂\u2028é\u0301 \u200b")]},
    "markup": {"messages": [user("<b>&amp; \"q\" 'a'</b> {{ x }} {% y %}"), assistant("\\n \\ <think> </s>")]},
    "thoughts in the text": {"messages": [user("a"), assistant("<think>\nhm\n</think>\n\n    x = 1"), user("b"), assistant("<think>\n\n</think>\n\ny\n")]},
    "reasoning": {"messages": [user("a"), assistant("b", reasoning_content="\n why\n"), user("c"), assistant("d", reasoning_content="so")]},
    "thinking key": {"messages": [user("a"), assistant("b", thinking="why"), user("c"), assistant("d", reasoning="so")]},
    "no thinking": {"messages": [user("a"), assistant("<think>\nq\n</think>\n\nb"), user("c")], "add_generation_prompt": True, "enable_thinking": False},
    "thinking": {"messages": [system("s"), user("a")], "add_generation_prompt": True, "enable_thinking": True, "preserve_thinking": True, "reasoning_effort": "high"},
    "tools": {"messages": [user("What is a heron?")], "tools": [TOOL, PLAIN_TOOL], "add_generation_prompt": True},
    "tools and a system": {"messages": [system("Use tools."), user("Hi")], "tools": [TOOL], "add_generation_prompt": True},
    "a call": {"messages": CALL, "tools": [TOOL]},
    "a result": {"messages": [*CALL, RESULT], "tools": [TOOL], "add_generation_prompt": True},
    "a whole exchange": {"messages": [*CALL, RESULT, assistant("It is a bird.", reasoning_content="the tool says so"), user("Thanks")], "tools": [TOOL, PLAIN_TOOL], "add_generation_prompt": True},
    "no content beside a call": {"messages": [user("q"), assistant(None, tool_calls=[called("look_up", {"word": "heron"})]), {**RESULT, "tool_call_id": "a1"}]},
    "arguments of all types": {"messages": [user("q"), assistant("x", tool_calls=[called("f", {"a": 1, "b": 1.0, "c": 1e-05, "d": True, "e": None, "f": [1, "2", {"g": 0.5}], "h": "\n'\"é🙂", "i": 12345678901234567890, "j": 1e16}, id="call12345")]), {"role": "tool", "content": "1", "tool_call_id": "call12345"}]},
    "arguments as text": {"messages": [user("q"), assistant("", tool_calls=[called("f", '{"a": 1}', id="abcdefghi")]), {"role": "tool", "content": '{"r": [1, 2]}', "tool_call_id": "abcdefghi"}]},
    "two calls": {"messages": [user("q"), assistant("", tool_calls=[called("f", {"a": 1}), called("g", {})]), {"role": "tool", "name": "f", "content": "1"}, {"role": "tool", "name": "g", "content": "2"}, assistant("done")], "tools": [TOOL]},
    "result that is no text": {"messages": [*CALL, {"role": "tool", "name": "look_up", "content": {"a": 1.0, "b": [True, None]}}]},
    "text parts": {"messages": [user([{"type": "text", "text": "a"}, {"type": "text", "text": " b "}]), assistant([{"type": "text", "text": "c"}])], "add_generation_prompt": True},
    "an image": {"messages": [user([{"type": "image"}, {"type": "text", "text": "what?"}]), assistant("a")]},
    "null content": {"messages": [user("q"), assistant(None), user(None)]},
    "content of a number": {"messages": [user(7), assistant(1.5)]},
    "another role": {"messages": [{"role": "developer", "content": "d"}, user("a")], "add_generation_prompt": True},
    "unknown role": {"messages": [user("a"), {"role": "critic", "content": "b"}]},
    "no role": {"messages": [{"content": "a"}]},
    "continued": {"messages": [user("a"), assistant("It is")], "continue_final_message": True},
    "documents": {"messages": [user("a")], "documents": [{"title": "t", "text": "x\ny"}], "add_generation_prompt": True},
}

VALUES = {
    "i": 7, "f": 2.5, "one": 1.0, "t": True, "n": None, "s": "Hello World", "u": "🙂ab言葉", "words": "the quick  brown fox",
    "l": [3, 1, 2], "e": [], "m": {"b": 1, "a": 2.0, "C": None}, "deep": {"x": {"y": [1, {"z": "w"}]}},
    "people": [{"name": "Bo", "age": 3, "pet": {"kind": "cat"}}, {"name": "al", "age": 1, "pet": {"kind": "dog"}}, {"name": "Cy", "age": 3, "pet": {"kind": "cat"}}],
    "numbers": {"a": 1.0, "b": 1e-05, "c": 0.5, "d": 12345678901234567890}, "lines": "a\n  b\r\nc\n\n", "html": "<a href='x'>&</a>",
}

SNIPPETS = (FOLDER / "snippets.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def render(source, values):
    """The text; `!words` of raise_exception; `!` where Python fails otherwise."""
    try:
        template = _compile_jinja_template(source)
        return template.render(**{**TOKENS, **values}, strftime_now=NOW.strftime)
    except Exception as error:
        raised = type(error).__name__ == "TemplateError"
        return f"!{error}" if raised else "!"


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:7]


def main():
    import trl

    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted((pathlib.Path(trl.__file__).parent / "chat_templates").glob("*.jinja"))}
    grid = {}
    for name, source in sources.items():
        texts = [render(source, {"tools": None, "documents": None, "add_generation_prompt": False, **values}) for values in KINDS.values()]
        grid[name] = " ".join("!" if text == "!" else digest(text) for text in texts)
    golden = {
        "versions": {name: importlib.metadata.version(name) for name in ("jinja2", "transformers", "trl")},
        "tokens": TOKENS,
        "kinds": KINDS,
        "grid": grid,
        "values": VALUES,
        "snippets": [[source.replace("\\N", "\n"), render(source.replace("\\N", "\n"), VALUES)] for source in SNIPPETS],
    }
    text = json.dumps(golden, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / "templates.json").write_text(text + "\n", encoding="utf-8")
    packed = gzip.compress(json.dumps(sources, ensure_ascii=False).encode(), 9, mtime=0)
    (FOLDER / "trl_chat_templates.json.gz").write_bytes(packed)
    failed = sum(row.split().count("!") for row in grid.values())
    print(f"{len(sources)} templates, {len(KINDS)} kinds, {failed} errors, {len(SNIPPETS)} snippets")


main()

"""Small data files of the kinds that the hub has, and the rows that Python reads from them.

python test/golden/make_data_files.py   (pandas 3.1.1, pyarrow 26.0.1, datasets 5.2.0, zstandard 0.25.0)

rows.json has, by file, what Python reads: texts of CSV as they are written, numbers of JSON as `json` reads them, dates as
ISO texts. `null`: a kind that is not read, which `datasets` or pandas may read.
"""

import bz2
import datetime
import decimal
import gzip
import json
import logging
import lzma
import math
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import zstandard

logging.disable(logging.WARNING)
datasets.disable_progress_bars()

FOLDER = Path(__file__).parent / "data_files"
FOLDER.mkdir(exist_ok=True)
ROWS = {}

SUMS = [{"question": f"{i} + {i} = ü漢😀", "answer": f"{2 * i}"} for i in range(3)]
GSM8K = [{"question": "Tom has 3 apples, eats 1. How many?", "answer": "3 - 1 = <<3-1=2>>2\n#### 2"}]
TURNS = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
SHARE = [{"from": "human", "value": "2 + 2?"}, {"from": "gpt", "value": "4"}]
ALPACA = [
    {"instruction": "Add.", "input": "2 and 2", "output": "4"},
    {"instruction": "Say hi.", "input": "", "output": "Hi."},
]
PAIRS = [{"prompt": "2 + 2?", "chosen": "4", "rejected": "5"}]
VERL = [
    {
        "data_source": "openai/gsm8k",
        "prompt": [{"role": "user", "content": "2 + 2?"}],
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": "4"},
        "extra_info": {"index": 0, "split": "train", "answer": "4"},
    }
]


def plain(value):
    """As JSON has it: dates as JavaScript writes them, whole numbers beyond 2^53 as texts."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "") + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def text(name, content, read):
    (FOLDER / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ROWS[name] = None if read is None else plain(read)


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def json_lines(name):
    unpack = {".gz": gzip.open, ".zst": zstandard.open}.get(Path(name).suffix, open)
    with unpack(FOLDER / name, "rt", encoding="utf-8-sig") as file:
        return [json.loads(line) for line in file if line.strip()]


def parquet(name, table, **options):
    pq.write_table(table, FOLDER / name, **options)
    ROWS[name] = plain(pq.read_table(FOLDER / name).to_pylist())


def csv(name, content, **options):
    (FOLDER / name).write_bytes(content.encode(options.get("encoding", "utf-8")))
    frame = pd.read_csv(FOLDER / name, dtype=str, keep_default_na=False, na_values=[""], **options)
    ROWS[name] = json.loads(frame.to_json(orient="records"))


def whole(name, value, rows):
    """@param rows  of the value that `json` reads"""
    text(name, json.dumps(value, ensure_ascii=False, indent=2), None)
    ROWS[name] = plain(rows(json.loads((FOLDER / name).read_text())))


# JSON Lines
text("plain.jsonl", lines(SUMS), SUMS)
text("marked_crlf.jsonl", "\ufeff" + lines(SUMS).replace("\n", "\r\n") + "\r\n", SUMS)
text("escapes.jsonl", '{"prompt": "\\u00fc \\ud83d\\ude00 \\/ \\\\", "answer": "\\n"}\n', None)
text("numbers.jsonl", '{"prompt": "a", "answer": 27.10, "n": 1.0, "e": 1e-05, "big": 12345678901234567891}\n', None)
text("mixed.jsonl", '{"prompt": "a", "answer": 1}\n{"prompt": "b", "answer": "two"}\n{"prompt": "c", "answer": true}\n', None)
for name in ["escapes.jsonl", "numbers.jsonl", "mixed.jsonl"]:
    ROWS[name] = plain(json_lines(name))
text("packed.jsonl.gz", gzip.compress(lines(SUMS).encode(), mtime=0), SUMS)
text("packed.jsonl.zst", zstandard.compress(lines(SUMS).encode()), SUMS)
text("messages.jsonl", lines([{"messages": TURNS}]), [{"messages": TURNS}])
text("sharegpt.jsonl", lines([{"id": "1", "conversations": SHARE}]), [{"id": "1", "conversations": SHARE}])
text("trl_messages.jsonl", lines([{"prompt": TURNS[:1], "completion": TURNS[1:]}]), [{"prompt": TURNS[:1], "completion": TURNS[1:]}])
text("pairs.jsonl", lines(PAIRS), PAIRS)

# JSON of one value
whole("list.json", SUMS, lambda value: value)
text("list_in_a_line.json", json.dumps(SUMS), SUMS)
whole("alpaca.json", ALPACA, lambda value: value)
whole("data.json", {"version": "1.1", "data": SUMS}, lambda value: value["data"])
text("data_in_a_line.json", json.dumps({"data": SUMS}), SUMS)
COLUMNS = {"question": [row["question"] for row in SUMS], "answer": [row["answer"] for row in SUMS]}
whole("columns.json", COLUMNS, lambda value: [dict(zip(value, cells)) for cells in zip(*value.values())])
pd.DataFrame(SUMS).to_json(FOLDER / "pandas.json")
ROWS["pandas.json"] = plain(pd.read_json(FOLDER / "pandas.json", dtype=False).to_dict("records"))
pd.DataFrame(SUMS).to_json(FOLDER / "pandas_lines.json", orient="records", lines=True)
ROWS["pandas_lines.json"] = SUMS
datasets.Dataset.from_list(VERL).to_json(FOLDER / "datasets.json")
ROWS["datasets.json"] = plain(json_lines("datasets.json"))
text("one_row.json", json.dumps(VERL[0], indent=4), VERL)

# Separated cells
csv("plain.csv", "question,answer\n1+1,2\n2+2,4\n")
csv("semicolons.csv", "question;answer\n1,5+1;27.10\n2;1.0\n", sep=";")
csv("tabs.tsv", "question, in words\tanswer\none and one\ttwo\n", sep="\t")
csv("returns.csv", "question,answer\r1+1,2\r2+2,4\r")
csv("quoted.csv", 'question,answer\n"a ""b"", c\nd","e"\n5" pipe,\n', encoding="utf-8")
csv("marked.csv", "\ufeffquestion,answer\r\nü,漢\r\n")
csv("index.csv", ",question,answer\n0,1+1,2\n7,2+2,4\n")
text("packed.csv.gz", gzip.compress(b"question,answer\n1+1,2\n", mtime=0), [{"question": "1+1", "answer": "2"}])

# Parquet
parquet("gsm8k.parquet", pa.Table.from_pylist(GSM8K))
parquet("verl.parquet", pa.Table.from_pylist(VERL), compression="zstd")
parquet("messages.parquet", pa.Table.from_pylist([{"messages": TURNS}]), compression="gzip")
parquet("large_types.parquet", pa.table({"prompt": pa.array(["a", None], pa.large_string()), "answer": pa.array([[1, 2], []], pa.large_list(pa.int32()))}))
parquet(
    "numbers.parquet",
    pa.table(
        {
            "i8": pa.array([-1], pa.int8()),
            "u64": pa.array([2**60], pa.uint64()),
            "f32": pa.array([0.5], pa.float32()),
            "price": pa.array([decimal.Decimal("27.10")], pa.decimal128(10, 2)),
            "day": [datetime.date(2026, 11, 30)],
            "at": pa.array([datetime.datetime(2026, 11, 30, 1, 2, 3)], pa.timestamp("us")),
            "word": pa.array(["a"]).dictionary_encode(),
        }
    ),
)
parquet("v2.parquet", pa.Table.from_pylist(SUMS), data_page_version="2.0", version="1.0", compression="lz4", use_dictionary=False)
FRAME = pd.DataFrame(SUMS, index=[3, 5, 7])
FRAME.to_parquet(FOLDER / "pandas.parquet")
ROWS["pandas.parquet"] = plain(pq.read_table(FOLDER / "pandas.parquet").to_pylist())
datasets.Dataset.from_list(SUMS).to_parquet(FOLDER / "datasets.parquet")
ROWS["datasets.parquet"] = plain(pq.read_table(FOLDER / "datasets.parquet").to_pylist())

# Kinds that are refused
TABLE = pa.Table.from_pylist(SUMS)
with pa.ipc.new_stream(FOLDER / "saved.arrow", TABLE.schema) as writer:
    writer.write_table(TABLE)
feather.write_feather(TABLE, FOLDER / "table.feather", compression="uncompressed")
pq.write_table(TABLE, FOLDER / "brotli.parquet", compression="brotli")
text("packed.jsonl.xz", lzma.compress(lines(SUMS).encode()), None)
text("packed.jsonl.bz2", bz2.compress(lines(SUMS).encode()), None)
pd.DataFrame(SUMS).to_pickle(FOLDER / "frame.pkl")
text("utf16.csv", "question,answer\n1+1,2\n".encode("utf-16"), None)
for name in ["saved.arrow", "table.feather", "brotli.parquet", "frame.pkl"]:
    ROWS[name] = None

(FOLDER / "rows.json").write_text(json.dumps(dict(sorted(ROWS.items())), ensure_ascii=False, indent=1) + "\n")
print(len(ROWS), "files,", sum(file.stat().st_size for file in FOLDER.iterdir()), "bytes")

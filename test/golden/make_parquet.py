"""Tiny tables as pyarrow writes them, for the reader of Parquet: run with pyarrow 26.

python test/golden/make_parquet.py
"""

import datetime
import decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent / "parquet"
FOLDER.mkdir(exist_ok=True)

COUNT = 300
FLAT = pa.table(
    {
        "prompt": [f"What is {i} + {i % 7}? ü漢😀" for i in range(COUNT)],
        "answer": pa.array([i + i % 7 for i in range(COUNT)], pa.int64()),
        "half": pa.array([i / 2 for i in range(COUNT)], pa.float64()),
        "level": pa.array([None if i % 5 == 0 else ["easy", "hard"][i % 2] for i in range(COUNT)]),
        "even": [i % 2 == 0 for i in range(COUNT)],
        "options": [[] if i % 3 == 0 else ["a", f"b{i % 4}"] for i in range(COUNT)],
    }
)
MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
NESTED = pa.table(
    {
        "prompt": ["a", "b"],
        "messages": pa.array([[{"role": "user", "content": "a"}], []], pa.list_(MESSAGE)),
        "reward_model": [{"style": "rule", "ground_truth": "1"}, None],
        "lists": [[["a"]], []],
    }
)

DAY = datetime.date(2026, 11, 30)
KINDS = pa.table(
    {
        "day": pa.array([DAY, None]),
        "time": pa.array([datetime.datetime(2026, 11, 30, 1, 46, 42), None], pa.timestamp("us")),
        "price": pa.array([decimal.Decimal("27.10"), None], pa.decimal128(10, 2)),
        "numbers": pa.array([[1, 2, 3], []], pa.list_(pa.int64())),
        "halves": pa.array([[0.5, 1.5], None], pa.list_(pa.float32())),
        "word": pa.array(["a", "b"]).dictionary_encode(),
        "long": pa.array(["x", None], pa.large_string()),
        "deep": [{"a": {"b": [{"c": 1}]}}, {"a": {"b": []}}],
    }
)

pq.write_table(FLAT, FOLDER / "flat.parquet", compression="snappy", row_group_size=128)
pq.write_table(FLAT, FOLDER / "plain.parquet", compression="none", use_dictionary=False, data_page_version="2.0")
for name in ["zstd", "gzip", "brotli", "lz4"]:
    pq.write_table(FLAT.slice(0, 3), FOLDER / f"{name}.parquet", compression=name)
pq.write_table(KINDS, FOLDER / "kinds.parquet")
pq.write_table(FLAT.slice(0, 0), FOLDER / "empty.parquet")
for name in ["messages", "reward_model", "lists"]:
    pq.write_table(NESTED.select(["prompt", name]), FOLDER / f"{name}.parquet")

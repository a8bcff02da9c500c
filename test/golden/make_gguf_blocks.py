"""gguf_blocks.json: blocks of bytes as GGUF files have them, and the values that the package `gguf` (0.19.0) widens them to.

Bytes are random, scales are made finite; values are float32, in hexadecimal.
"""

import json

import numpy as np
from golden_common import HERE, versions
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quants

BLOCKS = 3
# Where the float16 scales of a block are.
SCALES = {"Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}


def main():
    rng = np.random.default_rng(53)
    types = {}
    for name, places in SCALES.items():
        kind = getattr(GGMLQuantizationType, name)
        _, size = GGML_QUANT_SIZES[kind]
        data = rng.integers(0, 256, (BLOCKS, size), dtype=np.uint8)
        for at in places:
            data[:, at:at + 2] = rng.normal(0, 0.02, BLOCKS).astype("<f2").view(np.uint8).reshape(BLOCKS, 2)
        values = quants.dequantize(data, kind).astype("<f4")
        types[name] = {"bytes": data.tobytes().hex(), "values": values.tobytes().hex()}
    golden = {"about": "see make_gguf_blocks.py", "versions": versions(), "types": types}
    (HERE / "gguf_blocks.json").write_text(json.dumps(golden, separators=(",", ":")).replace("},", "},\n") + "\n")


if __name__ == "__main__":
    main()

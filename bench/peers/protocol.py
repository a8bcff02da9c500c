"""Requests and answers of a peer: one JSON object per line, on the standard streams.

Libraries that print would end up between the answers: whatever they write to standard output goes to standard error.
Every answer says how much processor time it took, and how much was used since the answer before, while nothing was
asked for: a peer whose threads spin would slow down the other side.

An archive of pack.mjs has Python packages beside this file: those for this version of Python, and those for any. They
come last in the search path, so what the machine has of its own is taken first.
"""

import importlib.metadata
import json
import os
import platform
import sys
import time
from pathlib import Path

PACKED = Path(__file__).with_name("packages")
sys.path += [str(PACKED / f"{sys.version_info.major}.{sys.version_info.minor}"), str(PACKED / "any")]

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

PACKAGES = ("torch", "transformers", "trl")

_answered = None
_idle = None
_cpu_at_request = 0.0


def receive():
    """The next request. Ends the process when the other side has gone."""
    global _idle, _cpu_at_request
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    if _answered is not None:
        wall, cpu = _answered
        _idle = {"seconds": time.perf_counter() - wall, "cpuSeconds": time.process_time() - cpu}
    request = json.loads(line)
    _cpu_at_request = time.process_time()
    return request


def answer(values):
    global _answered
    used = time.process_time() - _cpu_at_request
    print(json.dumps({**values, "cpuSeconds": used, "idle": _idle}), file=ANSWERS, flush=True)
    _answered = (time.perf_counter(), time.process_time())


def versions():
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in PACKAGES}}

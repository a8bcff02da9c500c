"""tensorboard.json: event records as TensorBoard's own writer frames and encodes them.

  python make_tensorboard.py             writes tensorboard.json
  python make_tensorboard.py DIRECTORY   prints what TensorBoard's reader finds in a run's event files, as JSON:
                                         {tag: [[step, value], ...]}, without what a resumed session has voided
"""

import base64
import io
import json
import sys
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

NAN = float("nan")
EVENTS = [
    {"type": "version", "wall_seconds": 1700000000.25, "step": 0},
    {"type": "session", "wall_seconds": 1700000000.5, "step": 0},
    {"type": "scalars", "wall_seconds": 1700000001.0, "step": 0, "scalars": [["eval/accuracy", 0.0]]},
    {"type": "scalars", "wall_seconds": 1700000002.125, "step": 1,
     "scalars": [["train/reward", 0.25], ["train/rewards/größe/mean", -1e-30], ["train/loss", 1 / 3]]},
    {"type": "scalars", "wall_seconds": 1700000003.0, "step": 300, "scalars": [["train/loss", NAN]]},
    {"type": "session", "wall_seconds": 1700000004.0, "step": 129},
    {"type": "scalars", "wall_seconds": 1700000005.0, "step": 2**40 + 7, "scalars": []},
]  # fmt: skip


def encode(event):
    message = Event(wall_time=event["wall_seconds"], step=event["step"])
    if event["type"] == "version":
        message.file_version = "brain.Event:2"
    elif event["type"] == "session":
        message.session_log.status = SessionLog.START
    else:
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in event["scalars"]]
        message.summary.CopyFrom(Summary(value=values))
    return message.SerializeToString(deterministic=True)


def make():
    file = io.BytesIO()
    writer = RecordWriter(file)
    for event in EVENTS:
        writer.write(encode(event))
    plain = [
        {**event, "scalars": [[tag, None if value != value else value] for tag, value in event.get("scalars", [])]}
        for event in EVENTS
    ]
    golden = {
        "about": __doc__.split("\n")[0],
        "versions": {"python": python_version(), "tensorboard": version("tensorboard"), "protobuf": version("protobuf")},
        "events": plain,
        "bytes": base64.b64encode(file.getvalue()).decode(),
    }
    text = json.dumps(golden, ensure_ascii=False, indent=1) + "\n"
    Path(__file__).with_name("tensorboard.json").write_text(text, encoding="utf-8")


def read(directory):
    accumulator = EventAccumulator(directory, size_guidance={"scalars": 0}).Reload()
    tags = accumulator.Tags()["scalars"]
    print(json.dumps({tag: [[event.step, event.value] for event in accumulator.Scalars(tag)] for tag in tags}))


if len(sys.argv) > 1:
    read(sys.argv[1])
else:
    make()

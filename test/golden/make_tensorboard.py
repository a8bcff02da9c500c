"""tensorboard.json: event records as TensorBoard's own writer frames and encodes them.

  python make_tensorboard.py             writes tensorboard.json
  python make_tensorboard.py DIRECTORY   prints what TensorBoard's reader finds in a run's event files, as JSON:
                                         {tag: [[step, value], ...]}, without what a resumed session has voided; texts
                                         as their table of cells, and what the HParams page is told under "hparams"
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
from tensorboard.compat.proto.summary_pb2 import DATA_CLASS_TENSOR, Summary, SummaryMetadata
from tensorboard.compat.proto.types_pb2 import DT_FLOAT, DT_STRING
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.plugins.hparams.api_pb2 import STATUS_SUCCESS
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from tensorboard.summary.writer.record_writer import RecordWriter
from tensorboard.util.tensor_util import make_ndarray

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
    {"type": "texts", "wall_seconds": 1700000006.0, "step": 3, "tag": "train/completions",
     "rows": [["**prompt**", "**reward**"], ["`5 2 | = ?` größe", "0.5"], ["", "-1"]]},
    {"type": "hparams", "wall_seconds": 1700000007.5, "step": 0,
     "hparams": {"seed": 42, "learning_rate": 1e-3, "beta": 0, "use_peft": False, "task.name": "countdown",
                 "reward_funcs": ["accuracy"], "top_p": None}},
    {"type": "hparams-end", "wall_seconds": 1700000008.0, "step": 9},
]  # fmt: skip


def encode(event):
    message = Event(wall_time=event["wall_seconds"], step=event["step"])
    if event["type"] == "version":
        message.file_version = "brain.Event:2"
    elif event["type"] == "session":
        message.session_log.status = SessionLog.START
    elif event["type"] == "scalars":
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in event["scalars"]]
        message.summary.CopyFrom(Summary(value=values))
    elif event["type"] == "texts":
        rows = event["rows"]
        value = plugin_value(message, event["tag"], "text", b"", DT_STRING, [len(rows), len(rows[0])])
        value.tensor.string_val.extend(cell.encode() for row in rows for cell in row)
    else:
        data = HParamsPluginData()
        if event["type"] == "hparams":
            info = data.session_start_info
            info.start_time_secs = event["wall_seconds"]
            for name, value in event["hparams"].items():
                set_value(info.hparams[name], value)
            tag = hparams_metadata.SESSION_START_INFO_TAG
        else:
            data.session_end_info.status = STATUS_SUCCESS
            data.session_end_info.end_time_secs = event["wall_seconds"]
            tag = hparams_metadata.SESSION_END_INFO_TAG
        plugin_value(message, tag, "hparams", data.SerializeToString(deterministic=True), DT_FLOAT, [0])
    return message.SerializeToString(deterministic=True)


def plugin_value(message, tag, plugin, content, dtype, sizes):
    value = message.summary.value.add(tag=tag)
    value.metadata.CopyFrom(
        SummaryMetadata(
            plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content), data_class=DATA_CLASS_TENSOR
        )
    )
    value.tensor.dtype = dtype
    for size in sizes:
        value.tensor.tensor_shape.dim.add(size=size)
    return value


def set_value(field, value):
    if isinstance(value, bool):
        field.bool_value = value
    elif isinstance(value, (int, float)):
        field.number_value = value
    else:
        field.string_value = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def make():
    file = io.BytesIO()
    writer = RecordWriter(file)
    for event in EVENTS:
        writer.write(encode(event))
    plain = [
        {**event, "scalars": [[tag, None if value != value else value] for tag, value in event["scalars"]]}
        if "scalars" in event
        else event
        for event in EVENTS
    ]
    golden = {
        "about": __doc__.split("\n")[0],
        "versions": {"python": python_version(), "tensorboard": version("tensorboard"), "protobuf": version("protobuf")},
        "events": plain,
        "bytes": base64.b64encode(file.getvalue()).decode(),
    }
    text = json.dumps(golden, ensure_ascii=False, separators=(",", ":")).replace('{"type"', '\n{"type"') + "\n"
    Path(__file__).with_name("tensorboard.json").write_text(text, encoding="utf-8")


def read(directory):
    accumulator = EventAccumulator(directory, size_guidance={"scalars": 0, "tensors": 0}).Reload()
    tags = accumulator.Tags()
    found = {tag: [[event.step, event.value] for event in accumulator.Scalars(tag)] for tag in tags["scalars"]}
    metadata = {tag: accumulator.SummaryMetadata(tag).plugin_data for tag in tags["tensors"]}
    for tag in (tag for tag, data in metadata.items() if data.plugin_name == "text"):
        tables = [(event.step, make_ndarray(event.tensor_proto)) for event in accumulator.Tensors(tag)]
        found[tag] = [[step, [[cell.decode() for cell in row] for row in table]] for step, table in tables]
    if hparams_metadata.SESSION_START_INFO_TAG in metadata:
        content = metadata[hparams_metadata.SESSION_START_INFO_TAG].content
        hparams = hparams_metadata.parse_session_start_info_plugin_data(content).hparams
        found["hparams"] = {name: getattr(value, value.WhichOneof("kind")) for name, value in hparams.items()}
    print(json.dumps(found))


if len(sys.argv) > 1:
    read(sys.argv[1])
else:
    make()

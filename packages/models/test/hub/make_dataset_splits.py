"""Which files are the splits of data sets that lie as those of the hub do, as the library `datasets` finds them.

python packages/models/test/hub/make_dataset_splits.py   (datasets 5.2.0, huggingface_hub 2.4.0, fsspec 2026.9.0)
"""

import json
import os
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets

datasets.disable_progress_bars()


def card(configs):
    return f"---\nlicense: mit\n{configs}---\n# A data set\n"


GSM8K = """configs:
- config_name: main
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: main/test-*
- config_name: socratic
  data_files:
  - split: train
    path: socratic/train-*
  - split: test
    path: socratic/test-*
"""
GSM8K_FILES = [f"{config}/{split}-00000-of-00001.parquet" for config in ["main", "socratic"] for split in ["train", "test"]]

CASES = {
    "one file": (["rows.jsonl"], None),
    "splits in names": (["train.jsonl", "test.jsonl", "README.md"], "# none\n"),
    "validation by its other names": (["my_train.csv", "my-dev.csv", "eval.csv"], None),
    "words within words": (["training_data.json", "latest.json", "contest.json"], None),
    "shards": ([f"data/train-{i:05}-of-00003.parquet" for i in range(3)] + ["data/test-00000-of-00001.parquet"], None),
    "shards of a split with a name of its own": (["data/train_sft-00000-of-00001.parquet", "data/test_sft-00000-of-00001.parquet"], None),
    "shards beside others": (["data/train-00000-of-00001.parquet", "extra/test.jsonl"], None),
    "splits in folders": (["train/a.parquet", "train/b.parquet", "test/c.parquet"], None),
    "folders with words around": (["my-train-set/a.json", "x/valid_1/b.json"], None),
    "a folder before a name": (["train/test.json", "dev.json"], None),
    "no split": (["a.csv", "deep/b.csv"], None),
    "several kinds": (["a.csv", "b.jsonl", "c.jsonl", "notes.md", "run.py"], None),
    "packed": (["train.jsonl.gz", "test.jsonl.gz"], None),
    "hidden": ([".cache/train.jsonl", "__pycache__/train.jsonl", "rows.jsonl", ".gitattributes"], None),
    "files that are no data": (["dataset_dict.json", "config.json", "rows.json"], None),
    "two configs without a default": (GSM8K_FILES, card(GSM8K)),
    "two configs with a default": (GSM8K_FILES, card(GSM8K.replace("config_name: main", "config_name: main\n  default: true"))),
    "a config that is called default": (GSM8K_FILES, card(GSM8K.replace("socratic\n", "default\n", 1))),
    "one config": (["a.csv", "b.csv"], card("configs:\n- config_name: all\n  data_files: '*.csv'\n")),
    "a list of files": (["a.csv", "b.csv", "c.csv"], card("configs:\n- config_name: default\n  data_files: [b.csv, a.csv]\n")),
    "lists by split": (["a.csv", "b.csv", "c.csv"], card("configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: [b.csv, a.csv]\n  - split: held\n    path: c.csv\n")),
    "folders of configs": (["en/train.csv", "en/test.csv", "fr/data.csv"], card("configs:\n- config_name: en\n  data_dir: en\n- config_name: fr\n  data_dir: fr\n")),
    "a pattern over folders": (["a/x.json", "a/b/y.json", "z.json"], card("configs:\n- config_name: default\n  data_files: a/**/*.json\n")),
    "a pattern with a list of characters": (["p1.json", "p2.json", "p3.json"], card("configs:\n- config_name: default\n  data_files: 'p[12].json'\n")),
    "a card without configs": (["train.csv"], card("tags: [a]\n")),
}

CONTENT = {".jsonl": '{"a": 1}\n', ".json": '[{"a": 1}]', ".csv": "a\n1\n"}


def found(files, readme):
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            path = Path(folder, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(CONTENT.get(path.suffix, "x"))
        if readme is not None:
            Path(folder, "README.md").write_text(readme)
        module = datasets.load.LocalDatasetModuleFactory(folder).get_module()
        configs = module.builder_configs_parameters
        default = configs.default_config_name
        result = {}
        for config in configs.builder_configs:
            config._resolve_data_files(folder, datasets.DownloadConfig())
            data_files = config.data_files
            is_default = default == config.name or len(configs.builder_configs) == 1
            splits = {str(split): [os.path.relpath(path, os.path.realpath(folder)) for path in paths] for split, paths in data_files.items()}
            result[config.name] = {"default": is_default, "splits": splits}
        return result


golden = {
    "versions": {"datasets": datasets.__version__},
    "cases": {
        name: {"files": files, "card": readme, "configs": found(files, readme)} for name, (files, readme) in CASES.items()
    },
}
place = Path(__file__).with_name("dataset_splits.json")
place.write_text(json.dumps(golden, indent=1) + "\n")
print(len(CASES), "cases,", place.stat().st_size, "bytes")

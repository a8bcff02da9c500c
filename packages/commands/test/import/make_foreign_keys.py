"""foreign_keys.json: every key of verl, axolotl and unsloth, read of their wheels without installing them.

    pip download --no-deps verl==0.9.1 axolotl==0.19.0 unsloth==2026.10.9
    python make_foreign_keys.py FOLDER_OF_WHEELS
"""

import ast
import json
import sys
import zipfile
from pathlib import Path

import yaml


def wheel(folder, name):
    (path,) = Path(folder).glob(f"{name}-*.whl")
    return zipfile.ZipFile(path), path.name.split("-")[1]


def leaves(tree, above=""):
    """Dotted paths to whatever is no mapping with keys."""
    for key, value in tree.items():
        path = f"{above}{key}"
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{path}.")
        else:
            yield path


def verl(folder):
    archive, version = wheel(folder, "verl")
    text = archive.read("verl/trainer/config/_generated_ppo_trainer.yaml").decode()
    paths = [path for path in leaves(yaml.safe_load(text)) if not path.endswith("_target_")]
    # Tools that measure verl itself, below four of its parts.
    return version, sorted(path for path in paths if ".profiler." not in path)


def axolotl(folder):
    archive, version = wheel(folder, "axolotl")
    keys = {}
    for name in archive.namelist():
        if not name.startswith("axolotl/utils/schemas/") or not name.endswith(".py"):
            continue
        for node in ast.parse(archive.read(name)).body:
            if isinstance(node, ast.ClassDef):
                fields = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign)]
                keys[node.name] = fields
    top = ["AxolotlInputConfig", "DeprecatedParameters", "RemappedParameters", "MLFlowConfig", "LISAConfig",
           "WandbConfig", "CometConfig", "GradioConfig", "RayConfig", "OpenTelemetryConfig", "TrackioConfig",
           "ModelInputConfig", "ModelOutputConfig", "MultiModalConfig", "LoraConfig", "ReLoRAConfig",
           "HyperparametersConfig", "JaggedLRConfig"]  # fmt: skip
    sections = {"trl": "TRLConfig", "vllm": "VllmConfig", "special_tokens": "SpecialTokensConfig", "peft": "PeftConfig",
                "fsdp_config": "FSDPConfig", "qat": "QATConfig", "quantization": "PTQConfig", "ebft": "EBFTConfig",
                "dynamic_checkpoint": "DynamicCheckpointConfig", "fp8_config": "FP8Config",
                "selective_checkpointing": "SelectiveCheckpointingConfig"}  # fmt: skip
    plain = {key for name in top for key in keys[name]} - set(sections)
    below = {f"{section}.{key}" for section, name in sections.items() for key in keys[name]}
    return version, sorted(plain | below)


def unsloth(folder):
    archive, version = wheel(folder, "unsloth")
    found = set()
    for file, names in (("loader", {"from_pretrained"}), ("llama", {"from_pretrained", "get_peft_model"})):
        for node in ast.walk(ast.parse(archive.read(f"unsloth/models/{file}.py"))):
            if isinstance(node, ast.FunctionDef) and node.name in names:
                arguments = [one.arg for one in node.args.args + node.args.kwonlyargs]
                found |= {f"{node.name}.{one}" for one in arguments if one not in ("model", "self")}
    return version, sorted(found)


def main(folder):
    read = {name: of(folder) for name, of in (("verl", verl), ("axolotl", axolotl), ("unsloth", unsloth))}
    about = "every key of these trainers, of their wheels on PyPI"
    out = {"about": about, "versions": {name: version for name, (version, _) in read.items()}}
    out |= {name: keys for name, (_, keys) in read.items()}
    Path(__file__).with_name("foreign_keys.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])

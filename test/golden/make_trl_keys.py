"""trl_keys.json: every key of TRL's GRPOConfig, those of transformers' TrainingArguments among them, with its default;
and those of SFTConfig, ModelConfig and the script that GRPOConfig has not."""

import dataclasses
import warnings

from golden_common import versions, write
from trl import GRPOConfig, ModelConfig, SFTConfig
from trl.scripts.grpo import GRPOScriptArguments

warnings.simplefilter("ignore")  # deprecated keys are keys, too

#: Of this machine, not of TRL: what is measured when the object is made.
LOCAL = {"output_dir", "hub_token", "local_rank", "accelerator_config"}


def others(kind, known):
    """Keys of a class with their defaults, without those of GRPOConfig."""
    fields = {field.name: field.default for field in dataclasses.fields(kind)}
    plain = {key: None if value is dataclasses.MISSING else value for key, value in fields.items()}
    return {key: plain[key] for key in sorted(plain) if key not in known | LOCAL}


def main():
    config = GRPOConfig(output_dir="x", bf16=False).to_dict()
    defaults = {key: value for key, value in sorted(config.items()) if key not in LOCAL}
    defaults["bf16"] = True  # where there is a GPU
    # What TRL works out of others when it is not given.
    defaults["generation_batch_size"] = defaults["steps_per_generation"] = None
    write(
        "trl_keys",
        {
            "about": "TRL GRPOConfig: keys and defaults, those without one of its own; by class, further keys",
            "versions": versions(),
            "defaults": defaults,
            "local": sorted(LOCAL),
            "others": {
                kind.__name__: others(kind, set(defaults)) for kind in (SFTConfig, ModelConfig, GRPOScriptArguments)
            },
        },
    )


if __name__ == "__main__":
    main()

"""trl_keys.json: every key of TRL's GRPOConfig, those of transformers' TrainingArguments among them, with its default."""

import warnings

from golden_common import versions, write
from trl import GRPOConfig

warnings.simplefilter("ignore")  # deprecated keys are keys, too

#: Of this machine, not of TRL: what is measured when the object is made.
LOCAL = {"output_dir", "hub_token", "local_rank", "accelerator_config"}


def main():
    config = GRPOConfig(output_dir="x", bf16=False).to_dict()
    defaults = {key: value for key, value in sorted(config.items()) if key not in LOCAL}
    defaults["bf16"] = True  # where there is a GPU
    # What TRL works out of others when it is not given.
    defaults["generation_batch_size"] = defaults["steps_per_generation"] = None
    write("trl_keys", {"about": "TRL GRPOConfig: keys and defaults", "versions": versions(), "defaults": defaults})


if __name__ == "__main__":
    main()

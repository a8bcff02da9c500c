"""trl_config.yaml: GRPOConfig().to_dict() as a user writes it out, unedited."""

import sys
import warnings

import yaml
from golden_common import HERE
from trl import GRPOConfig

warnings.simplefilter("ignore")  # deprecated keys are keys, too


def main():
    config = GRPOConfig(use_cpu=True)  # without it bf16, TRL's default, asks for a GPU
    path = HERE / "trl_config.yaml"
    path.write_text("# GRPOConfig(use_cpu=True).to_dict() of TRL 1.16.0, by make_trl_config.py\n" + yaml.safe_dump(config.to_dict()))
    print(path, file=sys.stderr)


if __name__ == "__main__":
    main()

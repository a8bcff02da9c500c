"""What this Python has for the sides beside webgpu: one answer, and the end. Its setup is empty."""

import importlib.metadata
import importlib.util
import platform

from protocol import answer, receive

PACKAGES = ("torch", "accelerate", "datasets", "dill", "multiprocess", "transformers", "trl", "xxhash")


def main():
    receive()
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    answer({"versions": {"python": platform.python_version()}, "missing": missing, "hasCuda": has_cuda(missing)})


def has_cuda(missing):
    if "torch" in missing:
        return False
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    main()

"""The device that a peer works on: "cpu" or "cuda", the first GPU that the process sees."""

import torch


def synchronize(device):
    """Waits for what was sent to a GPU: a clock read before would time the sending."""
    if device == "cuda":
        torch.cuda.synchronize()


def describe(device):
    if device == "cuda":
        return {"device": torch.cuda.get_device_name(), "cuda": torch.version.cuda}
    return {"device": "processor", "cuda": None}

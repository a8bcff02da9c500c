"""A supervised step in plain PyTorch: transformers' LlamaForCausalLM, cross-entropy on the completion, AdamW.

The leanest such step: no Trainer, no padding, logits for the predicted rows only, fused AdamW.

setup    {model, threads, learningRate, compile}     compile: through torch.compile, which the first steps wait for
request  {prompts: [[ids], ..], completions: [[ids], ..]}     all prompts of one length, all completions of one
answer   {seconds, loss}
"""

import time

from protocol import answer, receive, versions

import torch
import torch.nn.functional as F
from transformers import LlamaForCausalLM


def main():
    setup = receive()
    torch.set_num_threads(setup["threads"])
    model = LlamaForCausalLM.from_pretrained(setup["model"], dtype=torch.float32, attn_implementation="sdpa").train()
    forward = torch.compile(model) if setup.get("compile") else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=setup["learningRate"], weight_decay=0.0, fused=True)
    answer({"versions": versions()})
    while True:
        request = receive()
        start = time.perf_counter()
        completions = torch.tensor(request["completions"])
        inputs = torch.cat([torch.tensor(request["prompts"]), completions[:, :-1]], dim=1)
        logits = forward(input_ids=inputs, logits_to_keep=completions.size(1), use_cache=False).logits
        loss = F.cross_entropy(logits.flatten(0, 1), completions.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss = loss.item()
        answer({"seconds": time.perf_counter() - start, "loss": loss})


if __name__ == "__main__":
    main()

"""The race in plain PyTorch on a GPU: whole GRPO steps, their rollouts with a key/value cache, float32.

Needs PyTorch and nothing else. The decoding loop is the one of transformers' generate without its
bookkeeping (every prompt once per completion, a cache that grows by a token, multinomial over the full vocabulary), and
the step is TRL's at beta 0 and one update a batch: rollout, forward, policy loss, backward, clipping, fused AdamW. So
both do less than those libraries do. Matrix products stay in float32 (no TF32).

setup    the size: {shape, promptTokens, completionTokens, prompts, groupSize, groupsAtOnce}, and {device}
hello    {versions, device, cuda}
request  {}
answer   {seconds, split: {rollout}}
"""

import platform
import time

from protocol import answer, receive

import torch
import torch.nn.functional as F
from device import describe, synchronize

EPS = 1e-5
THETA = 10_000.0


def main():
    setup = receive()
    device = setup["device"]
    torch.set_float32_matmul_precision("highest")
    torch.manual_seed(0)
    model = Llama(setup["shape"], setup["promptTokens"] + setup["completionTokens"], device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, weight_decay=0.0, fused=device == "cuda")
    answer({"versions": {"python": platform.python_version(), "torch": torch.__version__}, **describe(device)})
    while True:
        receive()
        start = time.perf_counter()
        prompts = random_prompts(setup, device)
        completions = model.generate(prompts, setup["completionTokens"])
        synchronize(device)
        rollout = time.perf_counter() - start
        update(model, optimizer, prompts, completions, setup)
        synchronize(device)
        answer({"seconds": time.perf_counter() - start, "split": {"rollout": rollout}})


def random_prompts(setup, device):
    """[prompts * groupSize, promptTokens]: every prompt once per completion."""
    prompts = torch.randint(setup["shape"]["vocabSize"], (setup["prompts"], setup["promptTokens"]), device=device)
    return prompts.repeat_interleave(setup["groupSize"], dim=0)


def update(model, optimizer, prompts, completions, setup):
    """One GRPO step on policy: the ratio is 1, so the loss is -advantage * log-prob's derivative."""
    vocab, group, length = setup["shape"]["vocabSize"], setup["groupSize"], setup["completionTokens"]
    rewards = (completions < vocab / 2).float().mean(dim=1).view(-1, group)
    advantages = ((rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)).flatten()
    ids = torch.cat([prompts, completions], dim=1)
    rows = group * setup["groupsAtOnce"]
    for first in range(0, ids.size(0), rows):
        part = ids[first : first + rows]
        logits = model(part[:, :-1], keep=length)
        targets = part[:, -length:]
        logprobs = -F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view_as(targets)
        ratio = torch.exp(logprobs - logprobs.detach())
        advantage = advantages[first : first + rows, None]
        loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).sum() / completions.numel()
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()


class Llama(torch.nn.Module):
    """Llama with a tied head and no biases."""

    def __init__(self, shape, context, device):
        super().__init__()
        self.shape = shape
        width, size = shape["hiddenSize"], shape["headDim"]
        heads, kv_heads, inner = shape["numHeads"], shape["numKvHeads"], shape["intermediateSize"]

        def matrix(rows, columns):
            return torch.nn.Parameter(torch.randn(rows, columns, device=device) * 0.05)

        def norm():
            return torch.nn.Parameter(torch.ones(width, device=device))

        self.embedding = matrix(shape["vocabSize"], width)
        self.final_norm = norm()
        self.layers = torch.nn.ModuleList(
            torch.nn.ParameterDict(
                {
                    "input_norm": norm(),
                    "qkv": matrix((heads + 2 * kv_heads) * size, width),
                    "output": matrix(width, heads * size),
                    "feed_forward_norm": norm(),
                    "gate_up": matrix(2 * inner, width),
                    "down": matrix(width, inner),
                }
            )
            for _ in range(shape["numLayers"])
        )
        angles = torch.arange(context)[:, None] * THETA ** (-torch.arange(0, size, 2) / size)
        self.cos = torch.cat([angles, angles], 1).cos().to(device)
        self.sin = torch.cat([angles, angles], 1).sin().to(device)

    def forward(self, ids, cache=None, keep=1):
        """Logits of the last `keep` positions; `cache` holds keys and values of the tokens before, and is extended."""
        shape = self.shape
        heads, kv_heads, size = shape["numHeads"], shape["numKvHeads"], shape["headDim"]
        x = F.embedding(ids, self.embedding)
        past = 0 if not cache else cache[0][0].size(2)
        cos, sin = (table[past : past + ids.size(1)] for table in (self.cos, self.sin))
        for index, layer in enumerate(self.layers):
            rows = rms_norm(x, layer["input_norm"]) @ layer["qkv"].T
            q, k, v = (
                part.unflatten(2, (-1, size)).transpose(1, 2)
                for part in rows.split([heads * size, kv_heads * size, kv_heads * size], dim=2)
            )
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
            if cache is not None:
                if past:
                    k, v = (torch.cat([old, new], dim=2) for old, new in zip(cache[index], (k, v)))
                    cache[index] = (k, v)
                else:
                    cache.append((k, v))
            repeats = heads // kv_heads
            k, v = (part.repeat_interleave(repeats, dim=1) if repeats > 1 else part for part in (k, v))
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=q.size(2) > 1)
            x = x + attended.transpose(1, 2).flatten(2) @ layer["output"].T
            gate, up = (rms_norm(x, layer["feed_forward_norm"]) @ layer["gate_up"].T).chunk(2, dim=2)
            x = x + (F.silu(gate) * up) @ layer["down"].T
        return rms_norm(x[:, -keep:], self.final_norm) @ self.embedding.T

    @torch.inference_mode()
    def generate(self, prompts, length):
        cache, ids, sampled = [], prompts, []
        for _ in range(length):
            probabilities = self(ids, cache)[:, -1].softmax(dim=1)
            ids = torch.multinomial(probabilities, 1)
            sampled.append(ids)
        return torch.cat(sampled, dim=1)


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * weight


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


if __name__ == "__main__":
    main()

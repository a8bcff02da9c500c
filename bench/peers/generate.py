"""transformers' generate, one batch at a time, with the settings that TRL gives it.

setup    {model, threads, completionTokens}
request  {prompts: [[ids], ..]}                          every prompt once per completion
answer   {seconds, tokens: completion tokens sampled}
"""

import time

from protocol import answer, receive, versions

import torch
from transformers import GenerationConfig, LlamaForCausalLM


def main():
    setup = receive()
    torch.set_num_threads(setup["threads"])
    model = LlamaForCausalLM.from_pretrained(setup["model"], dtype=torch.float32, attn_implementation="sdpa").eval()
    config = GenerationConfig(
        max_new_tokens=setup["completionTokens"],
        min_new_tokens=setup["completionTokens"],
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        pad_token_id=model.config.pad_token_id,
        eos_token_id=model.config.eos_token_id,
        disable_compile=True,
    )
    answer({"versions": versions()})
    while True:
        request = receive()
        start = time.perf_counter()
        prompts = torch.tensor(request["prompts"])
        with torch.inference_mode():
            ids = model.generate(input_ids=prompts, attention_mask=torch.ones_like(prompts), generation_config=config)
        tokens = ids[:, prompts.size(1) :].tolist()
        answer({"seconds": time.perf_counter() - start, "tokens": sum(len(row) for row in tokens)})


if __name__ == "__main__":
    main()

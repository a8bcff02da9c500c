"""TRL's GRPOTrainer, one optimizer step at a time.

Set up as someone would who wants speed in float32 (TRL's default is bfloat16): no TF32, no gradient checkpointing (its
default is on), fused AdamW, SDPA attention, a key/value cache, nothing logged, saved or evaluated. torch.compile is off,
as it is by default.

setup    {model, device, prompts, threads, completions, groupSize, promptTokens, completionTokens, learningRate,
         rewardedBelow, microBatch: completions at a time, or null for as many as fit}
         and where the model is a GGUF file in that folder, its name as gguf; where an adapter of PEFT is trained beside
         all linear layers, {r, alpha} as adapter
hello    {versions, device, cuda, microBatch}
         with an adapter also trained, its number of parameters, and promptLogprob, the mean over the last
         completionTokens tokens of the first prompt
request  {}
answer   {seconds, split: {rollout, forward, backward}, metrics: TRL's, of this step}; on a GPU only the rollout is
         split off, which ends by reading the tokens: a clock around the other two would time what is sent to it
"""

import importlib.metadata
import sys
import tempfile
import time

from protocol import answer, receive, versions

import torch
from device import describe, synchronize
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer


def measured(seconds, owner, name, activity):
    """Adds the time of each call of a method to `seconds[activity]`."""
    method = getattr(owner, name)

    def timed(*args, **kwargs):
        start = time.perf_counter()
        try:
            return method(*args, **kwargs)
        finally:
            seconds[activity] = seconds.get(activity, 0.0) + time.perf_counter() - start

    setattr(owner, name, timed)


class OneStepAtATime(TrainerCallback):
    """Waits for a request where a step begins. A step ends where the next one begins: all of the loop counts."""

    def __init__(self, seconds, device, hello):
        self.seconds = seconds
        self.device = device
        self.hello = hello
        self.trainer = None
        self.start = None

    def on_step_begin(self, args, state, control, **kwargs):
        synchronize(self.device)
        if self.start is None:
            answer(self.hello)
        else:
            seconds = time.perf_counter() - self.start
            metrics = {name: values[-1] for name, values in self.trainer._metrics["train"].items()}
            self.trainer._metrics["train"].clear()  # as logging does, which is off
            answer({"seconds": seconds, "split": dict(self.seconds), "metrics": metrics})
        receive()
        self.seconds.clear()
        self.start = time.perf_counter()


def fitting_micro_batch(setup, config):
    """All completions at once on a CPU; on a GPU what keeps its activations within half of the memory that is free.

    Rows carry each prompt once per completion. Of a row a layer keeps some 10 vectors of the hidden size (norms,
    projections, rotated and repeated heads) and 4 of the inner one, as hooks on saved tensors counted. Logits are not
    kept: TRL's head makes them a tile at a time.
    """
    size = setup["completions"]
    if setup["device"] == "cpu":
        return size
    free, _ = torch.cuda.mem_get_info()
    row_bytes = 4 * config.num_hidden_layers * (10 * config.hidden_size + 4 * config.intermediate_size)
    length = setup["promptTokens"] + setup["completionTokens"]
    while size % 2 == 0 and size * length * row_bytes > free / 2:
        size //= 2
    return size


def open_model(place):
    settings = {"dtype": torch.float32, "attn_implementation": "sdpa"}
    model = AutoModelForCausalLM.from_pretrained(**place, **settings)
    if "gguf_file" not in place:
        return model
    # transformers trains nothing that it has read from GGUF: the weights, in float32, go into a plain model.
    del model.config.quantization_config
    plain = AutoModelForCausalLM.from_config(model.config, **settings)
    plain.load_state_dict(model.state_dict())
    return plain


def lora(adapter):
    # PEFT is there where an adapter is asked for.
    from peft import LoraConfig

    settings = {"r": adapter["r"], "lora_alpha": adapter["alpha"], "lora_dropout": 0.0}
    return LoraConfig(**settings, target_modules="all-linear", task_type="CAUSAL_LM")


@torch.no_grad()
def mean_logprob(model, ids, count):
    """Of the last `count` tokens."""
    rows = torch.tensor([ids])
    logprobs = model(input_ids=rows).logits[0, -count - 1 : -1].double().log_softmax(-1)
    return logprobs.gather(-1, rows[0, -count:, None]).mean().item()


def main():
    setup = receive()
    torch.set_num_threads(setup["threads"])
    torch.set_float32_matmul_precision("highest")
    device, completions, rewarded_below = setup["device"], setup["completions"], setup["rewardedBelow"]
    place = {"pretrained_model_name_or_path": setup["model"]}
    if setup.get("gguf") is not None:
        place["gguf_file"] = setup["gguf"]
    model = open_model(place)
    tokenizer = AutoTokenizer.from_pretrained(**place)
    adapter = setup.get("adapter")
    micro_batch = setup["microBatch"] or fitting_micro_batch(setup, model.config)

    def low_ids(completion_ids, **kwargs):
        return [sum(token < rewarded_below for token in ids) / len(ids) for ids in completion_ids]

    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            use_cpu=device == "cpu",
            bf16=False,
            gradient_checkpointing=False,
            per_device_train_batch_size=micro_batch,
            gradient_accumulation_steps=completions // micro_batch,
            num_generations=setup["groupSize"],
            max_completion_length=setup["completionTokens"],
            generation_kwargs={"min_new_tokens": setup["completionTokens"]},
            max_steps=1_000_000,
            learning_rate=setup["learningRate"],
            lr_scheduler_type="constant",
            optim="adamw_torch_fused",
            weight_decay=0.0,
            max_grad_norm=1.0,
            logging_strategy="no",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            shuffle_dataset=False,
            dataloader_num_workers=0,
            dataloader_pin_memory=False,
        )
        seconds = {}
        hello = {"versions": versions(), **describe(device), "microBatch": micro_batch}
        turns = OneStepAtATime(seconds, device, hello)
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=low_ids,
            args=config,
            train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in setup["prompts"]]),
            processing_class=tokenizer,
            peft_config=adapter and lora(adapter),
            callbacks=[turns],
        )
        if adapter is not None:
            hello["versions"]["peft"] = importlib.metadata.version("peft")
            hello["trained"] = sum(p.numel() for p in trainer.model.parameters() if p.requires_grad)
            ids = tokenizer(setup["prompts"][0])["input_ids"]
            hello["promptLogprob"] = mean_logprob(trainer.model, ids, setup["completionTokens"])
        turns.trainer = trainer
        measured(seconds, trainer, "_generate_single_turn", "rollout")
        if device == "cpu":
            measured(seconds, trainer, "_get_per_token_logps_and_entropies", "forward")
            measured(seconds, trainer.accelerator, "backward", "backward")
        trainer.train()


if __name__ == "__main__":
    sys.exit(main())

"""TRL's GRPOTrainer from the first step to the last, with rewards that the other side gives.

setup    {model, threads, prompts: in the order in which they are asked, completions: a step, groupSize, completionTokens,
         steps, seed, learningRate, beta2, lossType, output: a folder}
hello    {versions}
request  {}, then {rewards: one a completion}
answer   {prompts: [text, ..], completions: [[ids], ..]} of each step, the end token included where there is one; after the
         last step {isDone: true}, with the weights, trainer_state.json and the events of TensorBoard, where that is
         installed, in `output`
"""

import importlib.util
import sys

from protocol import answer, receive, versions

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def main():
    setup = receive()
    torch.set_num_threads(setup["threads"])
    torch.set_float32_matmul_precision("highest")
    tokenizer = AutoTokenizer.from_pretrained(setup["model"])
    model = AutoModelForCausalLM.from_pretrained(setup["model"], dtype=torch.float32, attn_implementation="sdpa")

    def judged(prompts, completion_ids, **kwargs):
        answer({"prompts": prompts, "completions": [list(ids) for ids in completion_ids]})
        return receive()["rewards"]

    config = GRPOConfig(
        output_dir=setup["output"],
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=setup["completions"],
        gradient_accumulation_steps=1,
        num_generations=setup["groupSize"],
        max_completion_length=setup["completionTokens"],
        max_steps=setup["steps"],
        learning_rate=setup["learningRate"],
        lr_scheduler_type="constant",
        loss_type=setup["lossType"],
        scale_rewards="group",
        beta=0.0,
        temperature=1.0,
        top_p=1.0,
        top_k=0,
        optim="adamw_torch",
        adam_beta2=setup["beta2"],
        weight_decay=0.0,
        max_grad_norm=1.0,
        seed=setup["seed"],
        logging_steps=1,
        save_strategy="no",
        report_to="tensorboard" if importlib.util.find_spec("tensorboard") else "none",
        disable_tqdm=True,
        shuffle_dataset=False,
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=judged,
        args=config,
        train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in setup["prompts"]]),
        processing_class=tokenizer,
    )
    answer({"versions": versions()})
    receive()
    trainer.train()
    trainer.save_model()
    trainer.save_state()
    answer({"isDone": True})
    receive()


if __name__ == "__main__":
    sys.exit(main())

"""GRPO on DeepMath with an adapter."""
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.rewards import accuracy_reward, think_format_reward, get_soft_overlong_punishment

MAX_COMPLETION = 1024


def main():
    train_dataset = load_dataset("trl-lib/DeepMath-103K", split="train")
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", torch_dtype=torch.bfloat16)
    args = GRPOConfig(
        output_dir="grpo-" + "qwen3",  # where it goes
        learning_rate=1e-5,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        num_generations=8,
        max_completion_length=MAX_COMPLETION,
        mask_truncated_completions=True,
        log_completions=True,
        use_vllm=False,
        temperature=0.9,
        loss_type="dapo",
        epsilon_high=0.28,
        num_train_epochs=1,
        max_steps=int(1e3) if DEBUG else -1,
        report_to=["trackio"],
        run_name=f"grpo-{MAX_COMPLETION}",
        model_init_kwargs={"dtype": "bfloat16"},
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[accuracy_reward, think_format_reward, get_soft_overlong_punishment(1024, 128)],
        args=args,
        train_dataset=train_dataset,
        peft_config=LoraConfig(r=32, lora_alpha=64, target_modules=["q_proj", "v_proj"], lora_dropout=0.05),
    )
    trainer.train()

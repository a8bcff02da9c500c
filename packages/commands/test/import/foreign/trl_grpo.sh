#!/bin/bash
# GRPO by the command of TRL.
MODEL=Qwen/Qwen2.5-0.5B-Instruct
export WANDB_PROJECT=grpo

accelerate launch --config_file configs/zero3.yaml --num_processes 4 -m trl.scripts.grpo \
    --model_name_or_path "$MODEL" \
    --dataset_name openai/gsm8k \
    --dataset_config main \
    --reward_funcs accuracy_reward think_format_reward my_rewards.length \
    --learning_rate 1e-6 \
    --num_generations 8 \
    --per_device_train_batch_size 8 \
    --gradient_accumulation_steps 4 \
    --max_steps 200 \
    --use_peft --lora_r 16 --lora_alpha=32 \
    --output_dir $HOME/grpo

from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

train_dataset = load_dataset("trl-lib/ultrafeedback_binarized", split="train")
args = DPOConfig(
    output_dir="runs/qwen-dpo",
    loss_type=["sigmoid", "sft"],
    loss_weights=[1.0, 0.2],
    beta=0.05,
    ld_alpha=0.5,
    precompute_ref_log_probs=True,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=8,
    max_length=1024,
)
trainer = DPOTrainer(model="Qwen/Qwen2-0.5B-Instruct", args=args, train_dataset=train_dataset)
trainer.train()

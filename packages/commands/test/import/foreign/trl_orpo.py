from datasets import load_dataset
from trl.experimental.orpo import ORPOConfig, ORPOTrainer

dataset = load_dataset("trl-lib/ultrafeedback_binarized", split="train")
args = ORPOConfig(output_dir="runs/orpo", beta=0.2, max_length=512, learning_rate=8e-6, disable_dropout=True)
ORPOTrainer(model="Qwen/Qwen2-0.5B-Instruct", args=args, train_dataset=dataset).train()

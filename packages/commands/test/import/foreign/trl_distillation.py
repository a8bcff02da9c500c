from datasets import load_dataset
from trl import DistillationConfig, DistillationTrainer

dataset = load_dataset("trl-lib/DeepMath-103K", split="train")

args = DistillationConfig(
    teacher_model_name_or_path="Qwen/Qwen2.5-1.5B-Instruct",
    teacher_model_revision="v1",
    teacher_model_init_kwargs={"dtype": "bfloat16"},
    beta=0.5,
    temperature=0.7,
    max_completion_length=256,
)
trainer = DistillationTrainer(
    model="Qwen/Qwen2.5-0.5B-Instruct",
    args=args,
    train_dataset=dataset,
)
trainer.train()

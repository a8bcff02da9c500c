from datasets import load_dataset
from trl.experimental.cpo import CPOConfig

dataset = load_dataset("princeton-nlp/gemma2-ultrafeedback-armorm", split="train")
args = CPOConfig(loss_type="simpo", cpo_alpha=0.0, simpo_gamma=1.0, beta=2.0, alpha=0.0, max_steps=200)

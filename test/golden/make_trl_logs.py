"""What TRL's GRPOTrainer logs of two real runs, and how TensorBoard has it: what `rlvr-train doctor` reads.

    python test/golden/make_trl_logs.py        writes packages/compare/test/logs/trl_run_*/

A tiny random Llama is paid for the share of `a` in what it writes. At a rate of 1e-3 it learns that; at one of 0.1 it
collapses within a few steps. TRL's defaults otherwise; needs tensorboard beside requirements.txt.
"""

import shutil
import tempfile
from pathlib import Path

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

LOGS = Path(__file__).parents[1] / "foreign" / "logs"
LETTERS = "abcdefgh"
RUNS = {"learns": 1e-3, "collapses": 0.1}


def tokenizer():
    vocab = {token: i for i, token in enumerate(["<pad>", "<eos>", "<unk>", ">", *LETTERS])}
    inner = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"pad_token": "<pad>", "eos_token": "<eos>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=inner, **names)


def share_of_a(completion_ids, **kwargs):
    wanted = 4 + LETTERS.index("a")
    return [sum(token == wanted for token in ids) / len(ids) for ids in completion_ids]


def train(name, learning_rate):
    torch.manual_seed(0)
    words = tokenizer()
    shape = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            use_cpu=True,
            bf16=False,
            per_device_train_batch_size=32,
            num_generations=8,
            max_completion_length=8,
            learning_rate=learning_rate,
            max_steps=80,
            logging_steps=4,
            save_strategy="no",
            report_to="tensorboard",
            disable_tqdm=True,
            seed=0,
        )
        prompts = [{"prompt": f"{a} {b} >"} for a in LETTERS for b in LETTERS]
        trainer = GRPOTrainer(
            model=LlamaForCausalLM(shape),
            reward_funcs=share_of_a,
            args=config,
            train_dataset=Dataset.from_list(prompts),
            processing_class=words,
        )
        trainer.train()
        trainer.save_state()
        place = LOGS / f"trl_run_{name}"
        place.mkdir(exist_ok=True)
        shutil.copy(Path(folder) / "trainer_state.json", place)
        [events] = Path(folder).rglob("events.out.tfevents.*")
        shutil.copy(events, place / "events.out.tfevents.1")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, learning_rate in RUNS.items():
        train(name, learning_rate)

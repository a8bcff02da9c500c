"""trl_metrics.json: what TRL's own GRPOTrainer logs of generation batches, most groups of which are dead.

`batches` of the file are read and stay: rewards, lengths and ends of the completions of a run of ours (README.md). Generation and
the reward calls are stubbed; figures come out of _generate and _generate_and_score_completions, one call a batch."""

import math

from golden_common import read, versions, write
from make_trl_loss import trainer_of

EOS, OTHER = 2, 3


def logged(batch):
    rows = [row for group in batch for row in group]
    completions = [[OTHER] * (length - 1) + [OTHER if is_cut else EOS] for _, length, is_cut in rows]
    trainer = trainer_of([[reward] for reward, _, _ in rows], [1.0], len(batch[0]), "group", "sum_then_normalize")
    trainer._tokenize_prompts = lambda prompts: ([[5]] * len(prompts), None, {})
    trainer._generate_single_turn = lambda *a: (completions, None)
    trainer._generate_and_score_completions([{"prompt": "p"} for _ in rows])
    return {name: values[-1] for name, values in trainer._metrics["train"].items() if math.isfinite(values[-1])}


def main():
    batches = read("trl_metrics")["batches"]
    write("trl_metrics", {
        "about": "what TRL's GRPOTrainer logs of batches of which most groups are dead; see README.md",
        "versions": versions(),
        "batches": batches,
        "metrics": [logged(batch) for batch in batches],
    })  # fmt: skip


if __name__ == "__main__":
    main()

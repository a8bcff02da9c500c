"""Writes divergences.json: TRL's divergences of a student from a teacher over a vocabulary.

Logits of both are random. `loss` is GKDTrainer's mean over tokens, with its gradient by the student's logits;
`distilled` is DistillationTrainer's, whose kernel computes in float32.

    python make_divergences.py    # torch 2.14, trl 1.16
"""

import importlib.metadata
import json
from pathlib import Path

import torch
from trl.experimental.gkd import GKDTrainer
from trl.trainer.distillation_trainer import _chunked_divergence_loss

TOKENS, VOCABULARY, TEMPERATURE = 5, 9, 0.8

torch.set_num_threads(1)
torch.manual_seed(0)
student = (3 * torch.randn(1, TOKENS, VOCABULARY, dtype=torch.float64)).requires_grad_()
teacher = student.detach() + torch.randn(1, TOKENS, VOCABULARY, dtype=torch.float64)
head = torch.eye(VOCABULARY, dtype=torch.float64)
mask = torch.ones(1, TOKENS, dtype=torch.long)


def case(beta):
    distilled, _, _ = _chunked_divergence_loss(student, teacher, head, head, mask, beta, temperature=TEMPERATURE)
    loss = GKDTrainer.generalized_jsd_loss(
        student, teacher, labels=torch.zeros(1, TOKENS, dtype=torch.long), beta=beta, temperature=TEMPERATURE
    )
    (gradient,) = torch.autograd.grad(loss, student)
    return {"beta": beta, "loss": loss.item(), "distilled": distilled.item(), "gradient": gradient.flatten().tolist()}


golden = {
    "versions": {name: importlib.metadata.version(name) for name in ("torch", "trl")},
    "vocabulary": VOCABULARY,
    "temperature": TEMPERATURE,
    "student": student.detach().flatten().tolist(),
    "teacher": teacher.flatten().tolist(),
    "cases": [case(beta) for beta in (0.0, 0.1, 0.5, 0.9, 1.0)],
}
Path(__file__).with_name("divergences.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")

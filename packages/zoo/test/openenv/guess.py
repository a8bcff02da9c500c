"""Find a hidden digit: an environment of several turns by the rules of OpenEnv 0.10."""

import random
from typing import Any, Optional

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

DIGITS = 7
TURNS = 3


class GuessAction(Action):
    guess: int


class GuessObservation(Observation):
    said: str


class GuessEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        self._state = State(step_count=0)
        self._hidden = 0

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **_: Any) -> GuessObservation:
        self._state = State(episode_id=episode_id, step_count=0)
        self._hidden = random.Random(seed).randrange(DIGITS)
        return GuessObservation(said=f"0 {DIGITS - 1}>")

    def step(self, action: GuessAction, timeout_s: Optional[float] = None, **_: Any) -> GuessObservation:
        self._state.step_count += 1
        if action.guess == self._hidden:
            return GuessObservation(said="=", reward=1.0, done=True)
        said = "<" if self._hidden < action.guess else ">"
        return GuessObservation(said=said, reward=0.0, done=self._state.step_count >= TURNS)

    @property
    def state(self) -> State:
        return self._state

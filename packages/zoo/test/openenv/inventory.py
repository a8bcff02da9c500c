"""Order what is asked for: an environment of several turns whose actions are MCP tools, by the rules of OpenEnv 0.10."""

import random
from typing import Any, Optional

from fastmcp import FastMCP
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.types import Action, Observation, State

MOST = 3


class AskedObservation(Observation):
    asked: str


class InventoryEnvironment(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("inventory")
        self._state = State(step_count=0)
        self._wanted = 0
        self._shelf = 0

        @server.tool
        def put(amount: int) -> str:
            """Put that many on the shelf, or take some away; says how many lie there."""
            self._shelf += amount
            return str(self._shelf)

        @server.tool
        def ship() -> str:
            """Send what lies on the shelf."""
            return "sent"

        super().__init__(server)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **_: Any) -> Observation:
        self._state = State(episode_id=episode_id, step_count=0)
        self._shelf = 0
        self._wanted = random.Random(seed).randint(1, MOST)
        return AskedObservation(asked=f"{self._wanted}:")

    def _step_impl(self, action: Action, timeout_s: Optional[float] = None, **_: Any) -> Observation:
        raise ValueError("an action is a call of a tool")

    async def step_async(self, action: Action, timeout_s: Optional[float] = None, **rest: Any) -> Observation:
        self._state.step_count += 1
        observation = await super().step_async(action, timeout_s=timeout_s, **rest)
        done = getattr(action, "tool_name", None) == "ship"
        reward = float(done and self._shelf == self._wanted)
        return observation.model_copy(update={"done": done, "reward": reward})

    @property
    def state(self) -> State:
        return self._state

"""Serves one environment on loopback: python serve.py echo|guess|inventory PORT [SESSIONS]"""

import importlib
import pathlib
import shutil
import sys
import tempfile

import openenv.cli
import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

NAME, CLASS = "echo_env", "Echo"


def template(sessions: int):
    """The template of `openenv init`: an echo, with its names filled in."""
    source = pathlib.Path(openenv.cli.__file__).parent / "templates" / "openenv_env"
    folder = pathlib.Path(tempfile.mkdtemp()) / NAME
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        for slot, value in (("__ENV_NAME__", NAME), ("__ENV_CLASS_NAME__", CLASS), ("__ENV_TITLE_NAME__", CLASS)):
            text = text.replace(slot, value)
        path.write_text(text)
        path.rename(path.with_name(path.name.replace("__ENV_NAME__", NAME)))
    sys.path.insert(0, str(folder.parent))
    environment = importlib.import_module(f"{NAME}.server.{NAME}_environment").EchoEnvironment
    models = importlib.import_module(f"{NAME}.models")
    return create_app(
        environment, models.EchoAction, models.EchoObservation, env_name=NAME, max_concurrent_envs=sessions
    )


def app(name: str, sessions: int):
    if name == "echo":
        return template(sessions)
    if name == "guess":
        from guess import GuessAction, GuessEnvironment, GuessObservation

        return create_app(
            GuessEnvironment, GuessAction, GuessObservation, env_name="guess_env", max_concurrent_envs=sessions
        )
    from inventory import InventoryEnvironment

    return create_app(
        InventoryEnvironment, CallToolAction, CallToolObservation, env_name="inventory_env", max_concurrent_envs=sessions
    )


if __name__ == "__main__":
    name, port, *rest = sys.argv[1:]
    uvicorn.run(app(name, int(rest[0]) if rest else 16), host="127.0.0.1", port=int(port), log_level="warning")

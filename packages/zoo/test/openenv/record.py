"""Records what the servers of guess and inventory say to each message: python record.py PORT PORT > messages.json"""

import asyncio
import json
import sys

import websockets

SEEDS = 6
TURNS = 3
WRONG = 9  # none of the hidden digits
RESET = {"type": "reset", "data": {"seed": 0}}


async def talk(port: str, *messages: object) -> list[str]:
    """A session of its own: what each message was answered with."""
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws", proxy=None) as socket:
        said = []
        for message in messages:
            await socket.send(message if isinstance(message, str) else json.dumps(message))
            said.append(await socket.recv())
        return said


def guess(digit: int) -> dict:
    return {"type": "step", "data": {"guess": digit}}


def call(name: str, **arguments: object) -> dict:
    return {"type": "step", "data": {"type": "call_tool", "tool_name": name, "arguments": arguments}}


async def tools(port: str) -> dict:
    listing = {"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}
    names = ["reset", "list", "put", "wrong", "unknown", "ship"]
    calls = [call("put", amount=2), call("put", amount="x"), call("nope"), call("ship")]
    return dict(zip(names, await talk(port, RESET, listing, *calls)))


async def main(port: str, tool_port: str) -> None:
    resets, steps = {}, {}
    for seed in range(SEEDS):
        reset = {"type": "reset", "data": {"seed": seed}}
        [resets[seed]] = await talk(port, reset)
        for turn in range(TURNS):
            for digit in range(10):
                said = await talk(port, reset, *[guess(WRONG)] * turn, guess(digit))
                steps[f"{seed}/{turn}/{digit}"] = said[-1]
    others = {
        "invalid": (await talk(port, RESET, {"type": "step", "data": {"guess": "x"}}))[-1],
        "state": (await talk(port, RESET, {"type": "state"}))[-1],
        "unknown": (await talk(port, {"type": "greet"}))[-1],
        "junk": (await talk(port, "{"))[-1],
    }
    others["tools"] = await tools(tool_port)
    # A seventeenth session where the server has room for sixteen.
    sockets = [await websockets.connect(f"ws://127.0.0.1:{port}/ws", proxy=None) for _ in range(16)]
    for socket in sockets:
        await socket.send(json.dumps(RESET))
        await socket.recv()
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws", proxy=None) as socket:
        others["full"] = await socket.recv()
    for socket in sockets:
        await socket.close()
    print(json.dumps({"reset": resets, "step": steps, **others}, indent=1))


asyncio.run(main(*sys.argv[1:]))

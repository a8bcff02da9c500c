"""trackio.json: what a Trackio server answers to the requests that src/trackers/trackio.ts makes, and refuses.

  TRACKIO_DIR=new-folder TRACKIO_WRITE_TOKEN=secret trackio show
  python make_trackio.py http://127.0.0.1:7860     writes trackio.json; needs a server without projects

Times of the server are left out, so that a second recording is the same.
"""

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

SERVER = sys.argv[1]
exchanges = []


def ask(about, name, body, token="secret"):
    request = urllib.request.Request(f"{SERVER}/api/{name}", data=json.dumps(body).encode(), method="POST")
    request.add_header("content-type", "application/json")
    if token:
        request.add_header("x-trackio-write-token", token)
    try:
        with urllib.request.urlopen(request) as response:
            status, answer = response.status, json.load(response)
    except urllib.error.HTTPError as error:
        status, answer = error.code, json.load(error)
    for entry in answer.get("data") or []:
        if isinstance(entry, dict):
            entry.pop("timestamp", None)
            entry.pop("created_at", None)
    path = f"/api/{name}"
    exchange = {"about": about, "path": path, "token": token, "body": body, "status": status, "answer": answer}
    exchanges.append(exchange)


place = {"project": "mine", "run": "one", "run_id": "a"}


def entry(step, **more):
    return {**place, "step": step, "log_id": f"a/1/{step}", "metrics": {"train/loss": step / 2}, **more}


def log(about, *entries, token="secret"):
    ask(about, "bulk_log", {"logs": list(entries), "hf_token": None}, token)


ask("no project", "get_runs_for_project", {"project": "mine"})
log("without a token", entry(1), token="")
log("with another token", entry(1), token="wrong")
log("entries", entry(1, config={"grpo.learning_rate": 0.001}), entry(2, metrics={"train/loss": "NaN"}))
log("an entry again, otherwise, and a new one", entry(2, metrics={"train/loss": 9}), entry(3))
table = {"_type": "trackio.table", "_value": [{"prompt": "a", "completion": "b", "reward": 1}]}
log("a table", entry(3, log_id="a/1/3/completions", metrics={"completions": table}))
alert = {**place, "step": 2, "title": "plateau", "text": "no more", "level": "warn", "alert_id": "a/1/2/plateau"}
for about in ("an alert", "an alert again"):
    ask(about, "bulk_alert", {"alerts": [{**alert, "timestamp": "2026-01-01T00:00:00.000Z"}], "hf_token": None})
ask("the run", "get_runs_for_project", {"project": "mine"})
ask("its entries", "get_logs", place)
ask("its alerts", "get_alerts", {"project": "mine"})
ask("its config", "get_run_configs", {"project": "mine"})
ask("what there is not", "nothing", {})

with urllib.request.urlopen(SERVER + "/version") as response:
    version = json.load(response)["version"]
golden = {"about": __doc__.split("\n")[0], "versions": {"trackio": version}, "exchanges": exchanges}
text = json.dumps(golden, ensure_ascii=False, separators=(",", ":")).replace(',{"about"', ',\n{"about"') + "\n"
Path(__file__).with_name("trackio.json").write_text(text, encoding="utf-8")

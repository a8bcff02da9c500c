"""mlflow.json: what an MLflow server answers to the requests that src/trackers/mlflow_client.ts makes, and refuses.

  mlflow server --port 5000 --backend-store-uri sqlite:///new.db --artifacts-destination new-folder
  python make_mlflow.py http://127.0.0.1:5000     writes mlflow.json; needs a server without experiments of its own

Ids and times of the server are written as <name>, so that a second recording is the same.
"""

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

SERVER = sys.argv[1]
API = "/api/2.0/mlflow/"
known = {}
exchanges = []


def named(text):
    for value, name in known.items():
        text = text.replace(value, f"<{name}>")
    return text


def ask(about, method, path, body=None):
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    request = urllib.request.Request(SERVER + path, data=data, method=method)
    request.add_header("content-type", "application/json" if path.startswith(API) else "application/octet-stream")
    try:
        with urllib.request.urlopen(request) as response:
            status, text = response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    answer = json.loads(text) if text.strip().startswith("{") else text
    for key in ("creation_time", "last_update_time"):
        if isinstance(answer, dict) and key in answer.get("experiment", {}):
            answer["experiment"][key] = 0
    if about == "a new run":
        known[answer["run"]["info"]["run_id"]] = "run"
    exchange = {"about": about, "method": method, "path": path, "body": body, "status": status, "answer": answer}
    exchanges.append(json.loads(named(json.dumps(exchange))))
    return answer


def batch(about, run, **content):
    ask(about, "POST", API + "runs/log-batch", {"run_id": run, **content})


find = API + "experiments/get-by-name?experiment_name="
ask("no such experiment", "GET", find + "words%20of%20mine")
experiment = ask("a new experiment", "POST", API + "experiments/create", {"name": "words of mine"})["experiment_id"]
ask("an experiment", "GET", find + "words%20of%20mine")
tag = {"key": "rlvr_train.id", "value": "abc"}
body = {"experiment_id": experiment, "run_name": "mine", "start_time": 1700000000000, "tags": [tag]}
run = ask("a new run", "POST", API + "runs/create", body)["run"]["info"]["run_id"]
search = {"experiment_ids": [experiment], "max_results": 1}
ask("a run by its tag", "POST", API + "runs/search", {**search, "filter": "tags.`rlvr_train.id` = 'abc'"})
ask("no run by its tag", "POST", API + "runs/search", {**search, "filter": "tags.`rlvr_train.id` = 'none'"})
point = {"key": "reward", "value": 0.5, "timestamp": 1700000000001, "step": 1}
loss = {**point, "key": "loss", "value": "NaN"}
param = {"key": "grpo.learning_rate", "value": "0.001"}
batch("a batch", run, metrics=[point, loss], params=[param], tags=[{"key": "diagnosis.plateau", "value": "step 3: still"}])
batch("a batch again", run, metrics=[point, loss])
ask("what a batch that came twice has left", "GET", f"{API}metrics/get-history?run_id={run}&metric_key=reward")
batch("a name that is none", run, metrics=[{**point, "key": "eval_mean@4"}])
batch("a parameter that changes", run, params=[{**param, "value": "0.002"}])
batch("a run that is not there", "0" * 32, metrics=[point])
artifacts = f"/api/2.0/mlflow-artifacts/artifacts/{experiment}/{run}/artifacts/"
ask("an artifact", "PUT", artifacts + "completions/2-grpo/a.json", '{"columns":["a"],"data":[["x"]]}')
ask("an end", "POST", API + "runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
ask("a deletion", "POST", API + "runs/delete", {"run_id": run})
batch("a run that is deleted", run, metrics=[point])

with urllib.request.urlopen(SERVER + "/version") as response:
    version = response.read().decode()
golden = {"about": __doc__.split("\n")[0], "versions": {"mlflow": version}, "exchanges": exchanges}
text = json.dumps(golden, ensure_ascii=False, separators=(",", ":")).replace(',{"about"', ',\n{"about"') + "\n"
Path(__file__).with_name("mlflow.json").write_text(text, encoding="utf-8")

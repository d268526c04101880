#!/usr/bin/env python3
"""Reads rows as Open-AgentRL's trainer does, from the published rules; written anew, standard library only.

The file is one JSON array, or one object a line. Prints {"rows", "problems", "sums"} as JSON, the sum of rewards by step of a
task; exit code 1 when a row would not train as meant.
"""
import json
import math
import sys


def problems_of(row):
    for name in ("prompt", "response"):
        if not isinstance(row[name], str) or not row[name]:
            yield f"{name} is not text"
        else:
            row[name].encode("utf-8")
    reward = row["reward"]
    if type(reward) not in (int, float) or not math.isfinite(reward):
        yield "reward is not a number"
    elif reward == 0:
        yield "reward is 0: such rows are left out"
    if not row["prompt"].endswith("<|im_start|>assistant\n"):
        yield "the prompt does not end where the answer begins"


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    problems, sums = [], {}
    for number, row in enumerate(rows, 1):
        try:
            problems += [f"row {number}: {problem}" for problem in problems_of(row)]
            key = f"{row['task']} {row['run']} {row['step']}"
            sums[key] = sums.get(key, 0) + row["reward"]
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"row {number}: {error!r}")
    print(json.dumps({"rows": len(rows), "problems": problems, "sums": sums}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

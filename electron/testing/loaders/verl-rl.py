#!/usr/bin/env python3
"""Reads prompts as verl's RLHFDataset does, from the published rules; written anew, standard library only.

The rows are those of the Parquet file, as JSON lines. Prints {"rows", "problems"}; exit code 1 when a row would stop verl.
"""
import json
import sys


def problems_of(row):
    if not isinstance(row["data_source"], str) or not isinstance(row["ability"], str):
        yield "data_source or ability is not text"
    if not row["prompt"]:
        yield "the prompt is empty"
    for message in row["prompt"]:
        if set(message) != {"role", "content"} or not all(isinstance(part, str) for part in message.values()):
            yield "a message is not role and content"
    if row["prompt"] and row["prompt"][-1]["role"] == "assistant":
        yield "the prompt ends with an answer"
    if row["reward_model"]["style"] not in ("rule", "model") or "ground_truth" not in row["reward_model"]:
        yield "reward_model is not complete"
    info = row["extra_info"]
    if type(info["index"]) is not int or info["split"] not in ("train", "validation"):
        yield "extra_info has no index or split"
    if info["need_tools_kwargs"] and not info.get("tools_kwargs"):
        yield "tools_kwargs are needed and empty"


def main(path):
    problems, indexes = [], []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            indexes.append(row["extra_info"]["index"])
            try:
                problems += [f"row {number}: {problem}" for problem in problems_of(row)]
            except (KeyError, TypeError) as error:
                problems.append(f"row {number}: {error!r}")
    if len(set(indexes)) != len(indexes):
        problems.append("two rows have the same index")
    print(json.dumps({"rows": len(indexes), "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Reads step labels as TRL's PRMTrainer does, from the published rules; written anew, standard library only.

Prints {"rows", "labels", "problems"} as JSON; exit code 1 when a row would not train as meant. A character is a token here.
"""
import json
import sys

IGNORED = -100


def tokens_of(row, separator="\n"):
    ids = list(row["prompt"])
    labels = [IGNORED] * len(ids)
    for completion, label in zip(row["completions"], row["labels"], strict=True):
        step = list(completion + separator)
        ids += step
        labels += [IGNORED] * (len(step) - 1) + [int(label)]
    return ids, labels


def problems_of(row):
    if not isinstance(row["prompt"], str) or not all(isinstance(text, str) for text in row["completions"]):
        yield "prompt and completions are not plain text"
        return
    if any(type(label) is not bool for label in row["labels"]):
        yield "a label is not true or false: -1 would be a class of its own"
    ids, labels = tokens_of(row)
    if all(label == IGNORED for label in labels):
        yield "nothing is trained"
    if any(label not in (IGNORED, 0, 1) for label in labels):
        yield "a label is not one of two classes"
    if any(not text for text in row["completions"]):
        yield "a completion is empty"
    "".join(ids).encode("utf-8")


def main(path):
    rows = labels = 0
    problems = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            rows += 1
            try:
                problems += [f"line {number}: {problem}" for problem in problems_of(row)]
                labels += sum(label != IGNORED for label in tokens_of(row)[1])
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"line {number}: {error!r}")
    print(json.dumps({"rows": rows, "labels": labels, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Reads a file as AgentGym does: one JSON array, turns in order, `loss` as the action mask.

From the rules of its source, written anew, standard library only. Output as in openai.py.
"""
import json
import re
import sys


def answer_of(value):
    reasoning = ""
    match = re.fullmatch(r"(?:Thought:\n(.*?)\n\n)?Action:\n(\{.*\}|\[.*\])", value, re.DOTALL)
    calls = []
    text = value
    if match:
        text = match.group(1) or ""
        read = json.loads(match.group(2))
        calls = [[call["name"], call["arguments"]] for call in (read if isinstance(read, list) else [read])]
    thought = re.match(r"<think>\n(.*?)\n</think>\n\n", text, re.DOTALL)
    if thought:
        reasoning, text = thought.group(1), text[thought.end():]
    return {"text": text, "reasoning": reasoning, "calls": calls}


def read(item, problems):
    if set(item) != {"item_id", "conversations"}:
        problems.append("other fields than item_id and conversations")
    pieces = item["item_id"].split("_")
    if len(pieces) != 2 or not pieces[0]:
        problems.append("item_id does not name an environment and a number")
    int(pieces[-1])
    turns = item["conversations"]
    if len(turns) % 2 or not turns:
        problems.append("an odd number of turns")
    trained = []
    for number, turn in enumerate(turns):
        if set(turn) != {"from", "loss", "value"}:
            problems.append(f"turn {number} has other fields")
        turn["value"].encode("utf-8")
        if turn["from"] != ("human", "gpt")[number % 2]:
            problems.append(f"turn {number} is {turn['from']}")
        if turn["from"] == "human" and turn["loss"] is not None:
            problems.append(f"turn {number} of a person has a loss")
        if turn["from"] == "gpt" and not isinstance(turn["loss"], bool):
            problems.append(f"turn {number} has no loss")
        if turn["from"] == "gpt" and turn["loss"]:
            trained.append(answer_of(turn["value"]))
    if not trained:
        problems.append("nothing is trained")
    return trained


def main(path):
    with open(path, encoding="utf-8") as file:
        items = json.load(file)
    trained, problems = [], []
    for number, item in enumerate(items):
        own = []
        trained.append(read(item, own))
        problems += [f"item {number}: {problem}" for problem in own]
    ids = [item["item_id"] for item in items]
    if len(set(ids)) != len(ids):
        problems.append("an item_id twice: AgentEvol keeps one of them")
    print(json.dumps({"records": len(items), "trained": trained, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

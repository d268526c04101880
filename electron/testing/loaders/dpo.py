#!/usr/bin/env python3
"""Reads pairs as TRL's DPOTrainer and RewardTrainer do, from the published rules; written anew, standard library only.

Usage: dpo.py FILE.jsonl [margin]. Prints {"rows", "problems"} as JSON; exit code 1 when a row would not train as meant.
"""
import json
import sys

ROLES = {"system", "user", "assistant", "tool"}


def rendered(messages, tools):
    """Stands for a chat template: fails where one would, and puts everything that is trained into the text."""
    text = "".join(f"<tool>{tool['function']['name']}" for tool in tools)
    asked = set()
    for message in messages:
        if message["role"] not in ROLES:
            raise ValueError(f"role {message['role']}")
        content = message["content"]
        if not isinstance(content, str):
            content = "".join(part.get("text", "<image>") for part in content)
        for call in message.get("tool_calls") or []:
            asked.add(call["id"])
            arguments = call["function"]["arguments"]
            if not isinstance(json.loads(arguments) if isinstance(arguments, str) else arguments, dict):
                raise ValueError("arguments are no object")
            content += f"<call>{call['function']['name']}{json.dumps(arguments, sort_keys=True)}"
        if message["role"] == "tool" and message["tool_call_id"] not in asked:
            raise ValueError("a tool message answers no call")
        text += f"<{message['role']}>{content}"
    text.encode("utf-8")
    return text


def problems_of(row, margin):
    tools = row.get("tools")
    tools = json.loads(tools) if isinstance(tools, str) else tools
    prompt = rendered(row["prompt"], tools)
    chosen = rendered(row["prompt"] + row["chosen"], tools)
    rejected = rendered(row["prompt"] + row["rejected"], tools)
    if not row["prompt"] or row["prompt"][-1]["role"] == "assistant":
        yield "the prompt ends with an answer"
    if not (chosen.startswith(prompt) and rejected.startswith(prompt)):
        yield "the prompt is not the beginning of both"
    if chosen == rejected:
        yield "chosen and rejected are the same"
    for side in ("chosen", "rejected"):
        if [message["role"] for message in row[side]] != ["assistant"]:
            yield f"{side} is not one answer: its tool messages would get loss"
    if margin and (type(row.get("margin")) not in (int, float) or row["margin"] < 0):
        yield "margin is not a number from 0 up"


def main(path, margin=False):
    rows, problems = 0, []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            rows += 1
            try:
                problems += [f"line {number}: {problem}" for problem in problems_of(json.loads(line), margin)]
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"line {number}: {error!r}")
    print(json.dumps({"rows": rows, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "margin" in sys.argv[2:]))

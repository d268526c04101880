#!/usr/bin/env python3
"""Loads a dataset as slime does, from the published rules; written anew, standard library only.

Prints {"rows", "trained", "masked", "problems"} as JSON; exit code 1 when a row would not train as meant.
"""
import json
import sys


def has_null(value):
    if isinstance(value, dict):
        return any(has_null(item) for item in value.values())
    if isinstance(value, list):
        return any(has_null(item) for item in value)
    return value is None


def problems_of(row):
    messages, tools = row.get("messages"), row.get("tools")
    if isinstance(tools, str):
        tools = json.loads(tools)
    if not isinstance(tools, list):
        yield "tools is not a list"
    if not isinstance(messages, list) or not messages:
        yield "no messages"
        return
    if has_null(messages):
        yield "null in messages"
    if not isinstance(row.get("metadata"), dict) or "tools" in row["metadata"]:
        yield "metadata is not a dict that slime can write its tools into"
    asked = []
    for number, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in ("system", "user", "assistant", "tool") or not isinstance(content, str):
            yield f"message {number} has no role or no text"
        if role == "assistant":
            if message.get("step_loss_mask") not in (0, 1):
                yield f"message {number} has no mask of its own"
            for call in message.get("tool_calls", []):
                asked.append(call["id"])
                if not isinstance(json.loads(call["function"]["arguments"]), dict):
                    yield f"message {number} calls with arguments that are no object"
        if role == "tool" and message.get("tool_call_id") not in asked:
            yield f"message {number} answers no call"
        content.encode("utf-8")
    if not any(trains(message) for message in messages):
        yield "nothing trained: slime builds a corrupt sample"


def trains(message):
    return message["role"] == "assistant" and not message.get("step_loss_mask", 1) != 1


def main(path):
    rows = trained = masked = 0
    problems = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            rows += 1
            problems += [f"line {number}: {problem}" for problem in problems_of(row)]
            answers = [message for message in row["messages"] if message["role"] == "assistant"]
            trained += sum(trains(message) for message in answers)
            masked += sum(not trains(message) for message in answers)
    print(json.dumps({"rows": rows, "trained": trained, "masked": masked, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

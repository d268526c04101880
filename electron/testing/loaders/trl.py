#!/usr/bin/env python3
"""Reads a file as TRL's SFTTrainer does: messages with a template that looks at "train", or prompt and completion.

From the rules of its source, written anew, standard library only. Output as in openai.py.
"""
import json
import sys

from lines import check_lines


def answer_of(message):
    calls = []
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        calls.append([call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments])
    return {"text": message["content"], "reasoning": message.get("reasoning_content", ""), "calls": calls}


def read(record, problems):
    if "tools" in record and not isinstance(json.loads(record["tools"]), list):
        problems.append("tools are no list")
    if "messages" in record:
        allowed = {"messages", "tools", "metadata"}
        messages = record["messages"]
        # chat_template.jinja: an answer is inside {% generation %} unless its "train" is false.
        chosen = [m for m in messages if m["role"] == "assistant" and m.get("train", True)]
        for number, message in enumerate(messages):
            if not isinstance(message.get("train"), bool):
                problems.append(f"message {number} leaves it to the default")
            if message.get("train") and message["role"] != "assistant":
                problems.append(f"message {number} of a {message['role']} is trained")
    else:
        allowed = {"prompt", "completion", "tools", "metadata"}
        messages = record["prompt"] + record["completion"]
        # The completion mask covers all of it, also what is no answer.
        chosen = record["completion"]
        if [m["role"] for m in chosen] != ["assistant"]:
            problems.append("the completion trains more than one answer")
        if not record["prompt"]:
            problems.append("no prompt")
    if set(record) - allowed:
        problems.append("unknown columns")
    for number, message in enumerate(messages):
        if not isinstance(message["content"], str):
            problems.append(f"message {number} has parts, which need a model for images")
    if not chosen:
        problems.append("no assistant token: TRL raises")
    json.dumps(record, ensure_ascii=False).encode("utf-8")
    return [answer_of(message) for message in chosen]


if __name__ == "__main__":
    sys.exit(check_lines(sys.argv[1], read))

#!/usr/bin/env python3
"""Reads a file as LLaMA-Factory v1's engine does: one sample for each supervised answer, the prefix that ends with it.

From the rules of its source, written anew, standard library only. Output as in openai.py.
"""
import json
import sys

from lines import check_lines

TYPES = {"text", "reasoning", "tool_call", "image_url", "video_url", "audio_url"}


def hf_message(message, problems):
    text, reasoning, calls = "", "", []
    for part in message["content"]:
        if part["type"] not in TYPES or not isinstance(part["value"], str) or set(part) != {"type", "value"}:
            problems.append(f"a part of type {part['type']}")
        part["value"].encode("utf-8")
        if part["type"] == "text":
            text += part["value"]
        elif part["type"] == "reasoning":
            reasoning += part["value"]
        elif part["type"] == "tool_call":
            call = json.loads(part["value"])
            if not isinstance(call, dict) or "name" not in call or not isinstance(call.get("arguments"), dict):
                problems.append("a call without name and arguments")
            json.dumps(call, ensure_ascii=False).encode("utf-8")
            calls.append([call["name"], call["arguments"]])
        elif message["role"] != "user":
            problems.append(f"an image in a message of role {message['role']}")
    return {"text": text, "reasoning": reasoning, "calls": calls}


def samples(record, problems):
    messages = record["messages"]
    cuts = [at + 1 for at, m in enumerate(messages) if m["role"] == "assistant" and m.get("loss_weight", 1.0) > 1e-6]
    if not cuts:
        problems.append("no supervised turn: the whole row is one sample, and raises unless it ends with an answer")
    for number, message in enumerate(messages):
        weight = message.get("loss_weight")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            problems.append(f"message {number} leaves its weight to the default of 1")
        elif weight > 0 and message["role"] != "assistant":
            problems.append(f"message {number} has a weight and no model wrote it")
        if message["role"] not in ("system", "user", "assistant", "tool"):
            problems.append(f"message {number} has role {message['role']}")
    for cut in cuts:
        prefix = [hf_message(message, problems) for message in messages[:cut]]
        if cut == 1:
            problems.append("a sample without a prompt")
        yield prefix[-1]


def check(record, problems):
    if set(record) - {"messages", "tools", "metadata"}:
        problems.append("unknown columns")
    if "tools" in record and not isinstance(json.loads(record["tools"]), list):
        problems.append("tools are no list")
    return list(samples(record, problems))


if __name__ == "__main__":
    sys.exit(check_lines(sys.argv[1], check))

#!/usr/bin/env python3
"""Reads a file as OpenAI's chat fine-tuning does, from its published rules; written anew, standard library only.

Prints {"records", "trained", "problems"} as JSON. "trained" lists, for each record, the answers that get loss as
{"text", "reasoning", "calls": [[name, arguments]]}. Exit code 1 when a record would not train as meant.
"""
import json
import sys

from lines import check_lines

FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "reasoning_content", "tool_calls", "weight"},
    "tool": {"role", "content", "tool_call_id"},
}


def text_of(content):
    if isinstance(content, str):
        content.encode("utf-8")
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def answer_of(message):
    calls = [[c["function"]["name"], json.loads(c["function"]["arguments"])] for c in message.get("tool_calls", [])
             if readable(c["function"]["arguments"])]
    return {"text": message["content"], "reasoning": message.get("reasoning_content", ""), "calls": calls}


def readable(text):
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
        return isinstance(value, (dict, list))
    except (ValueError, RecursionError):
        return False


def check(record):
    extra = set(record) - {"messages", "tools", "parallel_tool_calls"}
    if extra:
        yield f"unknown keys {sorted(extra)}"
    if "tools" in record:
        if not record["tools"] or any(tool["type"] != "function" for tool in record["tools"]):
            yield "tools are empty or no functions"
    elif "parallel_tool_calls" in record:
        yield "parallel_tool_calls without tools"
    messages = record["messages"]
    if messages[-1]["role"] != "assistant":
        yield "the last message is no answer"
    waiting = []
    for number, message in enumerate(messages):
        role = message["role"]
        if set(message) - FIELDS[role]:
            yield f"message {number} has unknown keys"
        text_of(message["content"])
        if not isinstance(message["content"], str) and role != "user":
            yield f"message {number} has parts"
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                yield f"message {number} answers nothing"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield f"message {number} comes before {waiting} were answered"
        waiting = [call["id"] for call in message.get("tool_calls", [])]
        if role == "assistant":
            weight = message.get("weight")
            if isinstance(weight, bool) or weight not in (0, 1):
                yield f"message {number} has no weight"
            for call in message.get("tool_calls", []):
                if call["type"] != "function" or not isinstance(call["function"]["arguments"], str):
                    yield f"message {number} calls with arguments that are no text"
    if not any(message.get("weight") == 1 for message in messages):
        yield "nothing is trained"


def read(record, problems):
    problems += check(record)
    return [answer_of(m) for m in record["messages"] if m["role"] == "assistant" and m["weight"]]


if __name__ == "__main__":
    sys.exit(check_lines(sys.argv[1], read))

#!/usr/bin/env python3
"""Reads a file as axolotl's chat_template strategy does with message_field_training: train and roles_to_train: [].

From the rules of its source, written anew, standard library only. Output as in openai.py.
"""
import json
import sys

from lines import check_lines


def without_none(value):
    """The loader removes null before anything else, so that Parquet works."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value]
    return value


def turn_of(message, number, problems):
    turn = {"role": {"human": "user", "gpt": "assistant"}.get(message["role"], message["role"])}
    content = message["content"]
    if not isinstance(content, str):
        problems.append(f"message {number}: parts that are no text vanish")
        content = "".join(part.get("text", "") for part in content)
    content.encode("utf-8")
    turn["content"] = content
    turn["training"] = message.get("train")
    turn["reasoning"] = message.get("reasoning_content", "")
    turn["calls"] = []
    for call in message.get("tool_calls", []):
        arguments = call["function"]["arguments"]
        # Raises as the loader does.
        turn["calls"].append([call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments])
    return turn


def load(record, problems):
    record = without_none(record)
    tools = record.get("tools")
    if isinstance(tools, str):
        tools = json.loads(tools)
    if tools is not None and not (isinstance(tools, list) and all("function" in tool for tool in tools)):
        problems.append("tools in an unknown form")
    turns = [turn_of(message, number, problems) for number, message in enumerate(record["messages"])]
    trained = []
    for number, turn in enumerate(turns):
        should = turn["training"] if turn["training"] is not None else False
        if not isinstance(turn["training"], bool):
            problems.append(f"message {number} says nothing on training")
        if not should:
            continue
        if turn["role"] != "assistant":
            problems.append(f"message {number} of a {turn['role']} is trained")
        if not (turn["content"] or turn["calls"] or turn["reasoning"]):
            problems.append(f"message {number} is an empty turn: the loader finds no span to train")
            continue
        json.dumps(turn["calls"], ensure_ascii=False).encode("utf-8")
        trained.append({"text": turn["content"], "reasoning": turn["reasoning"], "calls": turn["calls"]})
    if not trained:
        problems.append("nothing is trained")
    return trained


def check(record, problems):
    if set(record) - {"messages", "tools", "metadata"}:
        problems.append("unknown columns")
    if any(not isinstance(record.get(key, ""), str) for key in ("tools", "metadata")):
        problems.append("a column of structs: schemas would be filled with null")
    return load(record, problems)


if __name__ == "__main__":
    sys.exit(check_lines(sys.argv[1], check))

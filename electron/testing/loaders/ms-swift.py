#!/usr/bin/env python3
"""Reads a file as ms-swift's preprocessor and its swift backend do: roles, merging, pairs of query and response, loss by part.

From the rules of its source, written anew, standard library only. Output as in openai.py; a part of an answer without loss
that stands in a trained one is a problem.
"""
import json
import re
import sys

from lines import check_lines

ROLES = {"system", "user", "tool_call", "tool_response", "tool", "assistant"}


class Deleted(Exception):
    """The loader logs a trace and deletes the row."""


def load(record, problems):
    messages = [dict(message) for message in record["messages"]]
    for number, message in enumerate(messages):
        lost = set(message) - {"role", "content", "loss", "loss_scale"}
        if lost:
            problems.append(f"message {number} loses {sorted(lost)}")
        if message["role"] not in ROLES or message["content"] is None:
            raise Deleted(f"message {number}")
    if messages[0]["role"] == "system":
        messages.pop(0)
    pairs = []
    parts = []
    asked = None
    last = None
    for number, message in enumerate(messages):
        role = "tool" if message["role"] == "tool_response" else message["role"]
        if role in ("assistant", "tool_call"):
            if asked is None:
                raise Deleted(f"message {number}: no query before the answer")
            parts.append(part_of(message, number))
        else:
            if parts:
                pairs.append((asked, parts))
                parts, asked = [], None
            if role == "tool" and last not in ("assistant", "tool_call", "tool"):
                raise Deleted(f"message {number}: a result after {last}")
            if role == "user" and last == "tool":
                raise Deleted(f"message {number}: a user message after a result has no place in the pairs")
            asked = (asked or "") + message["content"]
        last = role
    if asked is not None and not parts:
        raise Deleted("the last query has no response")
    pairs.append((asked, parts))
    return [answer for answer in (answer_of(parts, problems) for _, parts in pairs) if answer is not None]


def part_of(message, number):
    if not isinstance(message.get("loss"), bool):
        raise Deleted(f"message {number} leaves its loss to the strategy")
    if message["role"] == "assistant":
        return message["loss"], message["content"], None
    call = json.loads(message["content"])
    if not isinstance(call["arguments"], dict):
        raise Deleted(f"message {number} calls with no object")
    return message["loss"], "", [call["name"], call["arguments"]]


def answer_of(parts, problems):
    losses = {loss for loss, _, _ in parts}
    if len(losses) > 1:
        problems.append("an answer trains in part")
    if True not in losses:
        return None
    text = "".join(text for _, text, _ in parts)
    thought = re.match(r"<think>\n(.*?)\n</think>\n\n", text, re.DOTALL)
    return {
        "text": text[thought.end():] if thought else text,
        "reasoning": thought.group(1) if thought else "",
        "calls": [call for _, _, call in parts if call is not None],
    }


def check(record, problems):
    if set(record) - {"messages", "tools", "images", "metadata"}:
        problems.append("unknown columns")
    if "tools" in record and not isinstance(json.loads(record["tools"]), list):
        problems.append("tools are no list")
    tags = sum(message["content"].count("<image>") for message in record["messages"])
    images = record.get("images", [])
    if images and tags != len(images):
        problems.append(f"{tags} tags for {len(images)} images")
    if any(not image.startswith("data:image/") for image in images):
        problems.append("an image that is no address")
    try:
        answers = load(record, problems)
        json.dumps([record, answers], ensure_ascii=False).encode("utf-8")
        if not answers:
            problems.append("nothing is trained")
        return answers
    except (Deleted, ValueError, KeyError) as error:
        problems.append(f"the row is deleted: {error}")
        return []


if __name__ == "__main__":
    sys.exit(check_lines(sys.argv[1], check))

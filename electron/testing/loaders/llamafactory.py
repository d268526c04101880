#!/usr/bin/env python3
"""Reads a file as LLaMA-Factory's v0 loader does: dataset_info.json, converter, pairs, function formatter, mask_history.

From the rules of its source, written anew, standard library only. Output as in openai.py; each record trains one answer.
Usage: llamafactory.py FOLDER NAME
"""
import json
import os
import re
import sys

# The defaults that vanish as soon as `columns` or `tags` is there.
COLUMNS = ("messages", "system", "tools", "images")
TAGS = ("role_tag", "content_tag", "user_tag", "assistant_tag", "observation_tag", "function_tag", "system_tag")


def attributes(entry):
    columns, tags = entry.get("columns"), entry.get("tags")
    if columns is None or tags is None:
        raise ValueError("columns or tags are left to defaults")
    return {**{key: columns.get(key) for key in COLUMNS}, **{key: tags.get(key) for key in TAGS}}


def align(example, attr, kind, problems):
    """The converter: system, and turns as (side, text)."""
    messages = example[attr["messages"]]
    system = example[attr["system"]] if attr["system"] else ""
    if messages and attr["system_tag"] and messages[0][attr["role_tag"]] == attr["system_tag"]:
        system, messages = messages[0][attr["content_tag"]], messages[1:]
    sides = {attr["user_tag"]: "user", attr["assistant_tag"]: "assistant",
             attr["observation_tag"]: "observation", attr["function_tag"]: "function"}
    turns, results = [], []
    for message in messages:
        role, content = message[attr["role_tag"]], message[attr["content_tag"]]
        if kind == "openai" and message.get("tool_calls"):
            problems.append("tool_calls replace the text beside them")
            role, content = attr["function_tag"], json.dumps([c["function"] for c in message["tool_calls"]])
        if kind == "openai" and role == attr["observation_tag"]:
            results.append(content)
            continue
        if results:
            turns.append(("observation", "\n</tool_response>\n<tool_response>\n".join(results)))
            results = []
        turns.append((sides[role], content))
    if results:
        problems.append("results at the end vanish")
    tools = example.get(attr["tools"], "") if attr["tools"] else ""
    if kind == "openai" and not tools:
        problems.append("no tools: the system prompt gets 'detailed thinking off'")
    if tools:
        json.loads(tools)
    for number, (side, _) in enumerate(turns):
        if side not in (("user", "observation"), ("assistant", "function"))[number % 2]:
            problems.append(f"skipped: turn {number} is {side}")
            return system, []
    if len(turns) % 2 or not turns:
        problems.append("skipped: odd number of turns")
        return system, []
    return system, turns


def function_turn(content):
    """What the function formatter makes of a turn with calls: words beside them, calls."""
    match = re.search(r"<tool_call>(.*?)</tool_call>", content, re.DOTALL)
    words, inner = "", content
    if match:
        words, inner = content.replace(match.group(0), ""), match.group(1)
    else:
        thought = re.search(r"<think>\n(.*?)\n</think>\n\n", content, re.DOTALL)
        if thought:
            words, inner = thought.group(0), content.replace(thought.group(0), "")
    calls = json.loads(inner)
    calls = calls if isinstance(calls, list) else [calls]
    return words, [[call["name"], json.loads(json.dumps(call["arguments"]))] for call in calls]


def user_turn(content, number):
    """StringFormatter fills {{content}}, then {{idx}}, wherever it finds it first."""
    return "{{content}}".replace("{{content}}", content, 1).replace("{{idx}}", str(number // 2), 1)


def trained(turns, problems):
    for number, (side, content) in enumerate(turns):
        content.encode("utf-8")
        if side == "user" and user_turn(content, number) != content:
            problems.append(f"turn {number} is changed by the formatter")
        if side == "function":
            _, calls = function_turn(content)
            json.dumps(calls, ensure_ascii=False).encode("utf-8")
    # mask_history: the last pair alone has labels.
    side, content = turns[-1]
    words, calls = function_turn(content) if side == "function" else (content, [])
    thought = re.match(r"<think>\n(.*?)\n</think>\n\n", words, re.DOTALL)
    text = words[thought.end():] if thought else words
    return {"text": text.removesuffix("\n") if calls else text, "reasoning": thought.group(1) if thought else "", "calls": calls}


def main(folder, name):
    with open(os.path.join(folder, "dataset_info.json"), encoding="utf-8") as file:
        entry = json.load(file)[name]
    path = os.path.join(folder, entry["file_name"])
    if os.path.splitext(path)[1] not in (".json", ".jsonl", ".csv", ".parquet", ".arrow", ".txt"):
        raise ValueError("a file type that the loader does not know")
    attr = attributes(entry)
    records, answers, problems = 0, [], []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            own = []
            example = json.loads(line)
            records += 1
            for key, value in example.items():
                if not isinstance(value, (str, list)):
                    own.append(f"column {key} is neither text nor turns")
            for turn in example[attr["messages"]]:
                if set(turn) != {attr["role_tag"], attr["content_tag"]} or not all(isinstance(v, str) for v in turn.values()):
                    own.append("a turn with other fields: null would fill them")
            _, turns = align(example, attr, entry["formatting"], own)
            try:
                answers.append([trained(turns, own)] if turns else [])
            except (ValueError, KeyError, TypeError) as error:
                answers.append([])
                own.append(f"the formatter raises: {error}")
            problems += [f"line {number}: {problem}" for problem in own]
    print(json.dumps({"records": records, "trained": answers, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

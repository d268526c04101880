#!/usr/bin/env python3
"""Reads a folder of ATIF documents by the rules of the format's reference models: closed objects, ids, references.

Written anew, standard library only. "trained" holds what a reader would train that follows extra.waymark.mask and leaves
copied steps out. Output as in openai.py, documents in the order of their names.
"""
import json
import os
import re
import sys

TEXT, LIST, DICT, BOOL, INT = str, list, dict, bool, int
ROOT = {"schema_version": TEXT, "session_id": TEXT, "trajectory_id": TEXT, "agent": DICT, "steps": LIST, "notes": TEXT,
        "final_metrics": DICT, "continued_trajectory_ref": TEXT, "extra": DICT, "subagent_trajectories": LIST}
AGENT = {"name": TEXT, "version": TEXT, "model_name": TEXT, "tool_definitions": LIST, "extra": DICT}
STEP = {"step_id": INT, "timestamp": TEXT, "source": TEXT, "model_name": TEXT, "reasoning_effort": (TEXT, float),
        "message": (TEXT, LIST), "reasoning_content": TEXT, "tool_calls": LIST, "observation": DICT, "metrics": DICT,
        "is_copied_context": BOOL, "extra": DICT, "llm_call_count": INT}
CALL = {"tool_call_id": TEXT, "function_name": TEXT, "arguments": DICT, "extra": DICT}
RESULT = {"source_call_id": TEXT, "content": (TEXT, LIST), "subagent_trajectory_ref": LIST, "extra": DICT}
REF = {"trajectory_id": TEXT, "trajectory_path": TEXT, "session_id": TEXT, "extra": DICT}
PART = {"type": TEXT, "text": TEXT, "source": DICT}
SOURCE = {"media_type": TEXT, "path": TEXT}
METRICS = {"total_prompt_tokens": INT, "total_completion_tokens": INT, "total_cached_tokens": INT, "total_cost_usd": float,
           "total_steps": INT, "extra": DICT}
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")


def closed(value, fields, needed, where):
    for key, item in value.items():
        if key not in fields:
            yield f"{where}: {key} is not allowed"
        elif not isinstance(item, fields[key]):
            yield f"{where}: {key} has the wrong type"
    for key in needed:
        if key not in value:
            yield f"{where}: {key} is missing"


def content_problems(content, where):
    if isinstance(content, str):
        content.encode("utf-8")
        return
    for part in content:
        yield from closed(part, PART, ["type"], where)
        if part["type"] == "text" and ("text" not in part or "source" in part):
            yield f"{where}: a text part without text"
        if part["type"] == "image":
            yield from closed(part["source"], SOURCE, ["media_type", "path"], where)
            if part["source"]["media_type"] not in ("image/jpeg", "image/png", "image/gif", "image/webp"):
                yield f"{where}: a type of image that is none"


def step_problems(step, number, names):
    where = f"step {number}"
    yield from closed(step, STEP, ["step_id", "source", "message"], where)
    if step["step_id"] != number:
        yield f"{where}: id {step['step_id']}"
    if step["source"] not in ("system", "user", "agent"):
        yield f"{where}: source {step['source']}"
    if step["source"] != "agent":
        for field in AGENT_ONLY:
            if field in step:
                yield f"{where}: {field} on a {step['source']} step"
    yield from content_problems(step["message"], where)
    ids = []
    for call in step.get("tool_calls", []):
        yield from closed(call, CALL, ["tool_call_id", "function_name"], where)
        json.dumps(call, ensure_ascii=False).encode("utf-8")
        ids.append(call["tool_call_id"])
    for result in step.get("observation", {}).get("results", []):
        yield from closed(result, RESULT, [], where)
        if "source_call_id" in result and result["source_call_id"] not in ids:
            yield f"{where}: a result of {result['source_call_id']}, which it did not call"
        yield from content_problems(result.get("content", ""), where)
        for ref in result.get("subagent_trajectory_ref", []):
            yield from closed(ref, REF, [], where)
            if ref.get("trajectory_path") not in names:
                yield f"{where}: refers to {ref.get('trajectory_path')}, which is not there"


def main(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    trained, problems = [], []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            document = json.load(file)
        own = list(closed(document, ROOT, ["schema_version", "agent", "steps"], "document"))
        own += closed(document["agent"], AGENT, ["name", "version"], "agent")
        own += closed(document.get("final_metrics", {}), METRICS, [], "final_metrics")
        if not re.fullmatch(r"ATIF-v1\.[0-8]", document["schema_version"]):
            own.append(f"version {document['schema_version']}")
        if not document["steps"]:
            own.append("no steps")
        after = document.get("continued_trajectory_ref")
        if after is not None and after not in names:
            own.append(f"continues in {after}, which is not there")
        answers = []
        for number, step in enumerate(document["steps"], 1):
            own += step_problems(step, number, names)
            mask = step.get("extra", {}).get("waymark", {}).get("mask")
            if step["source"] == "agent" and mask not in (0, 1):
                own.append(f"step {number} has no mask")
            if mask == 1 and step.get("is_copied_context"):
                own.append(f"step {number} trains and is copied")
            if mask == 1:
                calls = [[c["function_name"], c["arguments"]] for c in step.get("tool_calls", [])]
                answers.append({"text": step["message"], "reasoning": step.get("reasoning_content", ""), "calls": calls})
        trained.append(answers)
        problems += [f"{name}: {problem}" for problem in own]
    print(json.dumps({"records": len(names), "trained": trained, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

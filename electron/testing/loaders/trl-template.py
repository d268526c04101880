#!/usr/bin/env python3
"""Renders TRL records with a chat template as transformers does (jinja2, trim_blocks, lstrip_blocks, generation blocks).

Prints {"spans": [[text, ...], ...], "problems"}: for each record the texts inside generation blocks. The text must be the same
when nothing trains, and a prompt must be what the text begins with. Exit code 3 where jinja2 is not installed.
Usage: trl-template.py TEMPLATE RECORDS
"""
import json
import sys

try:
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2 import nodes
except ImportError:
    print("jinja2 is not installed", file=sys.stderr)
    sys.exit(3)

OPEN, CLOSE = "\ufdd0", "\ufdd1"


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    def _mark(self, caller):
        return OPEN + caller() + CLOSE


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    env.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return env


def spans_of(text):
    return [piece.split(CLOSE)[0] for piece in text.split(OPEN)[1:]]


def plain(text):
    return text.replace(OPEN, "").replace(CLOSE, "")


def main(template_path, records_path):
    with open(template_path, encoding="utf-8") as file:
        template = environment().from_string(file.read())
    spans, problems = [], []
    with open(records_path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            tools = json.loads(record["tools"]) if "tools" in record else None
            messages = record["messages"]
            text = template.render(messages=messages, tools=tools)
            masked = template.render(messages=[{**m, "train": False} for m in messages], tools=tools)
            if spans_of(masked) or masked != plain(text):
                problems.append(f"line {number}: the text depends on what is masked")
            for at, message in enumerate(messages):
                if message["role"] != "assistant":
                    continue
                prompt = plain(template.render(messages=messages[:at], tools=tools, add_generation_prompt=True))
                if not masked.startswith(prompt):
                    problems.append(f"line {number}: message {at} was asked with another text")
            spans.append(spans_of(text))
    print(json.dumps({"spans": spans, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

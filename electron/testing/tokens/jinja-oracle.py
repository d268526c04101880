#!/usr/bin/env python3
"""Renders chat templates with Jinja2 itself, set up as transformers sets it up; written anew from its documented behaviour.

One JSON line in: {"template", "messages", "tools", "prompt", "variables"}; one out: {"text", "generations"} with offsets in UTF-16
units, or {"error"}.
"""
import datetime
import json
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox


class Generation(jinja2.ext.Extension):
    tags = {"generation"}
    printed = None
    found = None

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_note")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _note(self, caller):
        text = caller()
        begin = len("".join(Generation.printed))
        Generation.found.append((begin, begin + len(text)))
        return text


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = to_json
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = datetime.datetime(2025, 1, 1).strftime
    return made


def units(text, at):
    return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def answer(made, templates, question):
    source = question["template"]
    if source not in templates:
        templates[source] = made.from_string(source)
    Generation.printed, Generation.found = [], []
    try:
        for block in templates[source].generate(
            messages=question["messages"],
            tools=question["tools"],
            documents=None,
            add_generation_prompt=question["prompt"],
            **question["variables"],
        ):
            Generation.printed.append(block)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    text = "".join(Generation.printed)
    return {
        "text": text,
        "generations": [[units(text, begin), units(text, end)] for begin, end in Generation.found],
    }


def main():
    made, templates = environment(), {}
    for line in sys.stdin:
        try:
            said = answer(made, templates, json.loads(line))
        except jinja2.exceptions.TemplateSyntaxError as error:
            said = {"error": f"TemplateSyntaxError: {error}"}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()

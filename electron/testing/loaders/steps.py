#!/usr/bin/env python3
"""Reads steps as a data frame does: every line has the same fields, and a field one type. Standard library only.

Prints {"rows", "types", "problems"} as JSON; exit code 1 when the lines make no table.
"""
import json
import sys


def kind(value):
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def main(path):
    rows, types, fields, problems, ids = 0, {}, None, [], set()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            rows += 1
            fields = fields or list(row)
            if list(row) != fields:
                problems.append(f"line {number} has other fields")
            if row["id"] in ids:
                problems.append(f"line {number}: step {row['id']} is there twice")
            ids.add(row["id"])
            if row["mask"] not in (0, 1):
                problems.append(f"line {number}: mask is not 0 or 1")
            for name, value in row.items():
                if value is None:
                    continue
                if types.setdefault(name, kind(value)) != kind(value):
                    problems.append(f"line {number}: {name} is {kind(value)}, elsewhere {types[name]}")
    print(json.dumps({"rows": rows, "types": types, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""What the checkers of files of lines have in common: one record a line, and what each finds of it."""
import json


def check_lines(path, check):
    """`check(record, problems)` gives what the record trains and adds what is wrong with it. Prints all of it; returns the exit code."""
    trained, problems = [], []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            own = []
            trained.append(check(json.loads(line), own))
            problems += [f"line {number}: {problem}" for problem in own]
    print(json.dumps({"records": len(trained), "trained": trained, "problems": problems}))
    return 1 if problems else 0

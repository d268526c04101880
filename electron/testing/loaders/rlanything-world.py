#!/usr/bin/env python3
"""Rows that RLAnything's published procedure makes of runs, written anew; standard library only.

Reads cases {signal, runs: [{task, score, votes: ["kmu", ...]}]} as JSON, 80 points being a success; prints for each the policy
rows [run, step, reward] and the reward-model rows [run, step, judge, reward], in order, rewards with six decimals.
"""
import json
import sys
from fractions import Fraction
from math import sqrt

WORTH = {"k": 1, "m": -1, "u": 0}


def scaled(values):
    """With exact fractions up to the root: what is 0 is 0."""
    centre = Fraction(sum(values), len(values))
    variance = sum((value - centre) ** 2 for value in values) / len(values)
    return [float(value - centre) / sqrt(variance) if variance else 0.0 for value in values]


def text(value):
    return f"{float(value):.6f}"


def rows_of(case):
    runs = case["runs"]
    reward = {}
    accepted_by_task = {}
    for task in {run["task"] for run in runs}:
        outcomes = [run["score"] >= 80 for run in runs if run["task"] == task and run["score"] is not None]
        accepted_by_task[task] = Fraction(sum(outcomes), len(outcomes)) if outcomes else Fraction(0)
    for number, run in enumerate(runs, 1):
        if run["score"] is None:
            continue
        outcome = 1 if run["score"] >= 80 else -1
        for step, votes in enumerate(run["votes"], 1):
            if case["signal"] == "outcome":
                reward[number, step] = Fraction(outcome)
            elif votes:
                mean = Fraction(sum(WORTH[vote] for vote in votes), len(votes))
                reward[number, step] = mean + (outcome if case["signal"] == "integrated" else 0)
    policy, judged = [], []
    for number, run in enumerate(runs, 1):
        share = accepted_by_task[run["task"]]
        for step, votes in enumerate(run["votes"], 1):
            if (number, step) not in reward:
                continue
            if Fraction(1, 8) <= share <= Fraction(7, 8):
                others = [n for n, other in enumerate(runs, 1) if other["task"] == run["task"] and (n, step) in reward]
                values = [reward[n, step] for n in others]
                value = values[0] if len(values) == 1 else scaled(values)[others.index(number)]
                if value != 0:
                    policy.append([number, step, text(value)])
            if Fraction(1, 5) <= share <= Fraction(4, 5):
                raw = [Fraction(-2) if vote == "u" else reward[number, step] * WORTH[vote] for vote in votes]
                for judge, value in enumerate(scaled(raw) if raw else [], 1):
                    if value != 0:
                        judged.append([number, step, f"Judge {judge}", text(value)])
    return {"policy": policy, "judged": judged}


def main():
    print(json.dumps([rows_of(case) for case in json.load(sys.stdin)]))


if __name__ == "__main__":
    main()

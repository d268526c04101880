#!/usr/bin/env python3
"""Rewards of RLAnything from the published formulas, written anew with exact fractions; standard library only.

Reads a list of cases as JSON, prints for each the three rewards, the standardised values, the worth of each vote and whether
the task is accepted for the policy and for the reward model.
"""
import json
import sys
from fractions import Fraction
from statistics import pstdev


def rewards_of(outcome, votes):
    mean = Fraction(sum(votes), len(votes)) if votes else None
    return [
        outcome,
        None if mean is None else float(mean),
        None if mean is None else float(outcome + mean),
    ]


def standardised(values):
    if len(values) <= 1:
        return values
    deviation = pstdev(values)
    if deviation <= 1e-8:
        return [0 for _ in values]
    centre = sum(map(Fraction, values)) / len(values)
    return [float(Fraction(value) - centre) / deviation for value in values]


def judged(reward, votes):
    raw = [-2.0 if vote == 0 else reward * vote for vote in votes]
    return [0] if len(raw) == 1 else standardised(raw)


def accepted(successes, runs):
    if runs == 0:
        return [False, False]
    share = Fraction(successes, runs)
    return [Fraction(1, 8) <= share <= Fraction(7, 8), Fraction(1, 5) <= share <= Fraction(4, 5)]


def main():
    made = []
    for case in json.load(sys.stdin):
        rewards = rewards_of(case["outcome"], case["votes"])
        made.append(
            {
                "rewards": rewards,
                "standardised": standardised(case["values"]),
                "judged": judged(rewards[2] or 0, case["votes"]),
                "accepted": accepted(case["successes"], case["runs"]),
            }
        )
    print(json.dumps(made))


if __name__ == "__main__":
    main()

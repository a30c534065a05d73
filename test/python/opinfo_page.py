"""The pages of docs that say how much of OpInfo runs, from the rows that opinfo_table.py and opinfo_backward.py keep."""

from __future__ import annotations

import collections
import re

from kernel_classes import kernel_class
from opinfo_expected import BACKWARD, EXPECTED, REFUSED

RIGHT = ("right", "nearer than eager", "nothing to compute")
BAD = ("unsupported", "failed", "wrong")
# A class of its own: the shape of the result depends on the numbers.
SHAPELESS = "shape depends on data"
# There is no program for a factorisation: what needs one is counted apart.
FACTORISATION = "linear algebra"


def _counted(row):
    """(samples that are right, that are not, that need a factorisation); [what is not right, without the last]"""
    bad = [why for why in row["bad"] if f"{FACTORISATION}: " not in why]
    right = sum(row["tally"].get(status, 0) for status in RIGHT)
    wrong = sum(row["tally"].get(status, 0) for status in BAD)
    apart = len(row["bad"]) - len(bad)
    return (right, wrong - apart, apart), bad


def _cell(right, wrong):
    total = right + wrong
    return f"{right} of {total}, {100 * right / total:.1f} %" if total else ""


def _families(rows, dtypes):
    text = "| Family | " + " | ".join(dtypes) + " |\n|---|" + "---|" * len(dtypes) + "\n"
    sums, apart = collections.defaultdict(lambda: [0, 0]), 0
    for row in rows:
        *numbers, factorisations = _counted(row)[0]
        if row["family"] == FACTORISATION:
            factorisations += sum(numbers)
        apart += factorisations
        for family in (row["family"], "all") if row["family"] != FACTORISATION else ():
            for i, number in enumerate(numbers):
                sums[family, row["dtype"]][i] += number
    for family in [*dict.fromkeys(row["family"] for row in rows if row["family"] != FACTORISATION), "all"]:
        text += f"| {family} | " + " | ".join(_cell(*sums[family, dtype]) for dtype in dtypes) + " |\n"
    measured = collections.Counter(row["dtype"] for row in rows if row["family"] != FACTORISATION)
    text += "| operators measured | " + " | ".join(str(measured[dtype]) for dtype in dtypes) + " |\n"
    return text, apart


def forward(rows, dtypes):
    """Markdown: by family and dtype, the share of what aot_eager compiles; then what does not work."""
    rows = [row for row in rows if row["dtype"] in dtypes]
    text, factorisations = _families(rows, dtypes)
    total = collections.Counter()
    for row in rows:
        total.update(row["tally"])
    text += (
        f"\nNot counted: {factorisations} samples that need a factorisation of linear algebra (refused), "
        f"{total[SHAPELESS]} whose result has a shape that depends on the numbers (refused), "
        f"{total['untraceable']} that aot_eager cannot compile, and {total['eager raises']} that eager refuses.\n"
        "\n## What does not work\n\n| Operator | dtypes | Samples | Why |\n|---|---|---|---|\n"
    )
    found = collections.defaultdict(lambda: [[], 0, ""])
    for row in rows:
        if bad := _counted(row)[1]:
            entry = found[row["name"]]
            entry[0].append(row["dtype"])
            entry[1] += len(bad)
            why = bad[0].split(": ", 1)[-1].replace("|", "/")[:160]
            entry[2] = entry[2] or EXPECTED.get((row["name"], row["dtype"])) or REFUSED.get(row["name"], why)
    for name, (where, count, why) in sorted(found.items()):
        text += f"| {name} | {', '.join(where)} | {count} | {why} |\n"
    return text


def _class_of(why):
    """Of a refusal of opinfo_backward.py: what is counted apart, or None."""
    if "what it gives depends on the numbers" in why or "depends on data" in why:
        return SHAPELESS
    classes = {kernel_class(target) for target in re.findall(r"\d\. (aten\.\w+\.\w+)", why)}
    return FACTORISATION if FACTORISATION in classes else None


BACKWARD_HEAD = """# How many gradients of OpInfo are right

float32 gradients of PyTorch's own OpInfo, at most {samples} samples an operator, forward and backward compiled as one
graph each (`fullgraph=True`), beside eager's (1e-3 of the value, 1e-4), of what `aot_eager` computes right. Made by:

    python test/python/opinfo_backward.py --state build/backward.jsonl
    python test/python/opinfo_backward.py --state build/backward.jsonl --write docs/opinfo_backward.md

**{right} of {total}, {share:.1f} %**, of {operators} operators.

Not counted: {factorisations} samples that need a factorisation of linear algebra (refused), and {shapeless} in which a
shape depends on the numbers (refused): so are gradients of what a mask or `unique` chooses.
"""


def backward(rows, samples):
    """Markdown: how many gradients are right, and what is not."""
    found, apart, right, operators = {}, collections.Counter(), 0, 0
    for row in rows:
        bad = []
        for why in row["bad"]:
            kind = _class_of(why)
            apart[kind] += 1
            bad += [why] if kind is None else []
        right += row["count"] - len(row["bad"])
        operators += row["count"] > len(row["bad"]) - len(bad)
        if bad:
            found[row["name"]] = bad
    total = right + apart[None]
    text = BACKWARD_HEAD.format(
        samples=samples,
        right=right,
        total=total,
        share=100 * right / max(total, 1),
        operators=operators,
        factorisations=apart[FACTORISATION],
        shapeless=apart[SHAPELESS],
    )
    if found:
        text += "\n| Operator | Samples | Why |\n|---|---|---|\n"
    for name, bad in sorted(found.items()):
        why = BACKWARD.get(name) or REFUSED.get(name) or bad[0].split(": ", 1)[-1].replace("|", "/")[:160]
        text += f"| {name} | {len(bad)} | {why} |\n"
    return text

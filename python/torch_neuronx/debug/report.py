"""What compare found, as an object and as text."""

import collections
import dataclasses

from ..neuron_dynamo_backend.diagnostics import source_excerpt
from .tolerance import Comparison


@dataclasses.dataclass
class Row:
    """One operation of a graph."""

    number: int
    graph: str  # inference, forward or backward
    op: str
    result: str  # dtype and shape
    frame: tuple | None  # (file, line, function) of the user's program
    isolated: Comparison | None = None  # compiled alone, with eager's arguments
    accumulated: Comparison | None = None  # within the graph as compiled, with what the device had computed before
    status: str = ""  # why there is no comparison: "unsupported: ...", "random", ...
    node: str = ""

    @property
    def ok(self) -> bool:
        return not self.status.startswith("failed") and all(c.ok for c in (self.isolated, self.accumulated) if c)

    @property
    def place(self) -> str:
        return f"{self.frame[0]}:{self.frame[1]}" if self.frame else "?"


def _cell(comparison):
    return f"{comparison.error:.1e} ({comparison.ratio:.1e})" if comparison else "-"


_SORTS = {
    "order": lambda row: row.number,
    "isolated": lambda row: -row.isolated.ratio if row.isolated else 0,
    "accumulated": lambda row: -row.accumulated.ratio if row.accumulated else 0,
    "op": lambda row: row.op,
}


@dataclasses.dataclass
class Report:
    """The operations of all graphs of a call, in the order in which they ran.

    `ok`: none is wrong. `first`: the first wrong row, or None. `rows`: all of them. `notes`: what could not be done."""

    rows: list
    notes: list

    @property
    def first(self):
        return next((row for row in self.rows if not row.ok), None)

    @property
    def ok(self) -> bool:
        return self.first is None

    def table(self, sort="order") -> str:
        """All operations as text; `sort` is 'order', 'op', 'isolated' or 'accumulated' (the largest errors first)."""
        if sort not in _SORTS:
            raise ValueError(f"sort is one of {', '.join(_SORTS)}, got {sort!r}")
        head = ("", "graph", "operation", "result", "isolated", "accumulated", "eager", "line")
        lines = [head]
        for row in sorted(self.rows, key=_SORTS[sort]):
            own = next((c.eager_error for c in (row.isolated, row.accumulated) if c), None)
            lines.append(
                (
                    "" if row.ok else "WRONG",
                    row.graph,
                    row.op,
                    row.result,
                    row.status or _cell(row.isolated),
                    _cell(row.accumulated),
                    "-" if own is None else f"{own:.1e}",
                    row.place,
                )
            )
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def summary(self) -> str:
        """Whether all is right, else the first wrong operation with its line."""
        compared = sum(row.isolated is not None or row.accumulated is not None for row in self.rows)
        why = collections.Counter(row.status.partition(":")[0] for row in self.rows if row.status)
        text = f"{compared} operations compared" + "".join(f", {count} {status}" for status, count in why.items())
        first = self.first
        if first is None:
            text += ": none is further from eager than it may be\n"
        else:
            wrong = sum(not row.ok for row in self.rows)
            how = first.status or ("alone" if first.isolated and not first.isolated.ok else "only within the graph")
            text += f", {wrong} of them wrong; the first, {how}:\n\n  {first.op} -> {first.result} ({first.graph})\n"
            for name in ("isolated", "accumulated"):
                comparison = getattr(first, name)
                if comparison:
                    own = comparison.eager_error
                    text += f"    {name}: off by {comparison.error:.3g}, {comparison.ratio:.3g} times what is allowed"
                    text += f"; eager is off by {own:.3g}\n" if own is not None else "\n"
            text += source_excerpt(first.frame, "  ")
        return (text + "".join(f"note: {note}\n" for note in self.notes)).rstrip()

    def __str__(self):
        return f"{self.table()}\n\n{self.summary()}"

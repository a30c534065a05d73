"""Keeps the table of error bounds in docs/numerics.md equal to runtime/program/Functions.def.

python docs/functions_table.py          rewrites the table
python docs/functions_table.py --check  fails if it is stale
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "runtime/program/Functions.def"
PAGE = ROOT / "docs/numerics.md"
BEGIN, END = "<!-- from Functions.def -->\n", "<!-- end -->\n"

# name, arity, domains, result, engines, cost, ulp
_ROW = re.compile(r"^NEURON_FN\((\w+),\s*\d,\s*[^,]+,\s*\w+,\s*([^,]+),\s*\w+,\s*(\d+)\)", re.M)


def table() -> str:
    """One line a bound: exact functions first."""
    by_bound: dict[int, list[str]] = {}
    for name, _, bound in _ROW.findall(TABLE.read_text()):
        by_bound.setdefault(int(bound), []).append(f"`{name}`")
    lines = ["| At most | Functions |", "|---|---|"]
    for bound, names in sorted(by_bound.items()):
        lines.append(f"| {f'{bound} ulp' if bound else 'exact'} | {', '.join(names)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    fresh = before + BEGIN + table() + END + after
    if "--check" in sys.argv and fresh != page:
        print(f"{PAGE} is stale; run: python {Path(__file__).relative_to(ROOT)}", file=sys.stderr)
        return 1
    PAGE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Prints what test_opinfo.py counted, from all workers."""

from __future__ import annotations

import collections


def pytest_terminal_summary(terminalreporter):
    rows, unsupported = [], collections.Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") != "call":
                continue
            for key, value in report.user_properties:
                if key == "opinfo":
                    rows.append(value)
                elif key == "opinfo_unsupported":
                    unsupported.update(value)
    if not rows:
        return
    write = terminalreporter.write_line
    terminalreporter.section("OpInfo samples")
    columns = sorted({key for row in rows for key in row} - {"name", "dtype"})
    write(f"{'dtype':10}" + "".join(f"{c:>20}" for c in columns))
    totals = collections.Counter()
    for dtype in sorted({row["dtype"] for row in rows}):
        count = collections.Counter()
        for row in rows:
            if row["dtype"] == dtype:
                count.update({c: row.get(c, 0) for c in columns})
        totals.update(count)
        write(f"{dtype:10}" + "".join(f"{count[c]:>20}" for c in columns))
    write(f"{'all':10}" + "".join(f"{totals[c]:>20}" for c in columns))
    for name, count in unsupported.most_common():
        write(f"  unsupported {count:6}  {name}")

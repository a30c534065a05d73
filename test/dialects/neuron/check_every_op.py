"""Check that each documented op stands in one of the test files."""

import re
import sys
from pathlib import Path


def main(docs, *tests):
    ops = re.findall(r"^#+ `(neuron\.\w+)`", Path(docs).read_text(), re.MULTILINE)
    if len(ops) < 100:
        sys.exit(f"{docs} names {len(ops)} ops only: has its format changed?")
    text = "\n".join(Path(test).read_text() for test in tests)
    missing = [op for op in ops if not re.search(rf"// CHECK.*{re.escape(op)} ", text)]
    if missing:
        sys.exit("no syntax test names " + ", ".join(missing))


if __name__ == "__main__":
    main(*sys.argv[1:])

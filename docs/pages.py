"""Runs what README.md and docs/*.md quote, and compares.

    python docs/pages.py             fails where a page and reality differ
    python docs/pages.py --write     puts the real output into the pages

A block that starts with ```python NAME is the file NAME. In a block that starts with
```console, each line after "$ " is run by bash, in one folder for the page, and what it
prints must be what follows. "..." there stands for anything: alone on a line for any
lines, elsewhere for the rest of the line up to what comes next.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r"^```(python|console)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Difference:
    """A command that does not print what its page says."""

    page: Path
    command: str
    expected: str
    actual: str

    def __str__(self):
        return (
            f"{self.page}: $ {self.command}\n--- the page says\n{self.expected}--- it prints\n{self.actual}"
            f"--- if that is right: python docs/pages.py --write, then look at the difference"
        )


def pages() -> list[Path]:
    """Those that quote something to run."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if page.exists() and _BLOCK.search(page.read_text())]


# What a test around us may have set, and a reader has not.
FOREIGN = ("TORCH_NEURONX_", "NEURON_MLIR_", "TORCH_COMPILE_DISABLE", "TORCHINDUCTOR_FORCE_DISABLE")


def environment(folder: Path) -> dict[str, str]:
    """Our tools and package first, and no cache but the page's own."""
    from torch_neuronx import _C

    package = Path(_C.__file__).parent
    variables = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    variables["PATH"] = os.pathsep.join(
        [str(package.parent.parent / "bin"), str(Path(sys.executable).parent), variables["PATH"]]
    )
    variables["PYTHONPATH"] = os.pathsep.join([str(package.parent), variables.get("PYTHONPATH", "")])
    variables["TORCH_NEURONX_NEFF_CACHE_DIR"] = str(folder / ".cache/neff")
    variables["TORCHINDUCTOR_CACHE_DIR"] = str(folder / ".cache/torch")
    return variables


def commands(block: str) -> list[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    result: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            result.append((line[2:].rstrip("\n"), ""))
        elif line.startswith("> "):  # the command goes on
            result[-1] = (result[-1][0] + "\n" + line[2:].rstrip("\n"), "")
        else:
            result[-1] = (result[-1][0], result[-1][1] + line)
    return result


def matches(expected: str, actual: str) -> bool:
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    if actual and not actual.endswith("\n"):
        actual += "\n"
    return re.fullmatch(pattern, actual) is not None


def run_page(page: Path, folder: Path) -> list[Difference]:
    """Runs the commands of a page in a folder."""
    differences = []
    variables = environment(folder)
    for kind, name, body in _BLOCK.findall(page.read_text()):
        if kind == "python":
            (folder / (name or "unnamed.py")).write_text(body)
            continue
        for command, expected in commands(body):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder, env=variables, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )
            if not matches(expected, done.stdout):
                differences.append(Difference(page, command, expected, done.stdout))
    return differences


def write(page: Path, differences: list[Difference]) -> None:
    text = page.read_text()
    for difference in differences:
        command = "$ " + difference.command.replace("\n", "\n> ") + "\n"
        text = text.replace(command + difference.expected, command + difference.actual.rstrip("\n") + "\n")
    page.write_text(text)


def main() -> int:
    status = 0
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            differences = run_page(page, Path(folder))
        if "--write" in sys.argv:
            write(page, differences)
        for difference in differences:
            print(difference, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())

"""What all fuzzers do: programs one after the other, failures made smaller and printed, a line at the end."""

from __future__ import annotations

import argparse
import collections
import logging
import sys
import time
import warnings

import neuron_testing as nt
from shrink import shrink


def kind(status, detail):
    """What a smaller program has to share with the failing one."""
    if status == nt.FAILED:
        return status, detail[:40]
    if status == nt.WRONG:
        return status, "forms" if "forms" in detail else ""
    return status, ""


def fuzz(programs, seconds=None, verbose=False, out=sys.stdout):
    """Runs (seed, program, run) triples, where run(program) is (status, detail); returns (tally, failures as text)."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    tally, failures, start = collections.Counter(), [], time.monotonic()
    for seed, program, run in programs:
        if seconds is not None and time.monotonic() - start > seconds:
            break
        if verbose:
            print(f"# seed {seed}\n{program.reproducer()}", file=out, flush=True)
        status, detail = run(program)
        tally[status if status != nt.UNSUPPORTED else f"{status} ({detail})"] += 1
        if status in (nt.WRONG, nt.FAILED):
            wanted = kind(status, detail)
            small = shrink(program, lambda p, run=run, wanted=wanted: kind(*run(p)) == wanted)
            _, why = run(small)
            text = f"# seed {seed}: {status}: {detail}\n# smaller: {why}\n{small.reproducer()}"
            failures.append(text)
            print(text, file=out, flush=True)
    return tally, failures


def parser(description, count):
    """The options of every fuzzer."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--count", type=int, default=count)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--seconds", type=float, help="stop after this time")
    made.add_argument("--show", action="store_true", help="print each program before it runs")
    return made


def report(work):
    """Exit status of `work`, a call of fuzz; prints what came of it."""
    start = time.monotonic()
    tally, failures = work()
    took = time.monotonic() - start
    print(f"{sum(tally.values())} programs in {took:.0f} s: " + ", ".join(f"{n} {k}" for k, n in tally.most_common()))
    return 1 if failures else 0

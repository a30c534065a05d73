"""Limits for a process that runs compiled code: one thread, bounded memory.

Import it before torch. A run that allocates without bound would take the
machine with it, so a child watches this process and kills it; a child, because
the threads of a process that is busy in C++ may not get to run.
"""

from __future__ import annotations

import os
import subprocess
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

LIMIT = int(os.environ.get("NEURON_TEST_MEMORY_LIMIT", 3 << 30))

_WATCHER = """
import os, signal, sys, time
pid, limit = int(sys.argv[1]), int(sys.argv[2])
page = os.sysconf("SC_PAGE_SIZE")
while os.getppid() == pid:
    try:
        with open(f"/proc/{pid}/statm") as f:
            resident = int(f.read().split()[1]) * page
    except OSError:
        break
    if resident > limit:
        sys.stderr.write(f"process {pid} holds {resident >> 20} MiB, more than "
                         f"{limit >> 20} MiB: killed\\n")
        sys.stderr.flush()
        os.kill(pid, signal.SIGKILL)
        break
    time.sleep(0.1)
"""

_watcher = None


def watch(limit: int = LIMIT) -> None:
    """Kills this process when more than `limit` bytes of it are resident."""
    global _watcher
    if _watcher is None and os.path.exists("/proc/self/statm"):
        _watcher = subprocess.Popen(
            [sys.executable, "-S", "-c", _WATCHER, str(os.getpid()), str(limit)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


def watch_child() -> None:
    """Watches this process, which its parent has forked: the parent's watcher does not see it."""
    global _watcher
    _watcher = None
    watch()


def single_thread() -> None:
    import torch

    torch.set_num_threads(1)


watch()

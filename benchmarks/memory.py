"""The most memory that compiling and running one workload takes.

    python benchmarks/memory.py eager|inductor|neuron NAME

In a process of its own, as a user's would be; prints JSON. Memory is resident, in bytes:
the process's own at its highest and what its children had at theirs, the largest of them.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

CALLS = 3


def peak_bytes() -> dict[str, int]:
    """So far, of this process and of its largest child."""
    # Not ru_maxrss: that begins at what the process that started this one had.
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    kib = {
        "parent": int(line.split()[1]),
        "child": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
    }
    return {who: value * 1024 for who, value in kib.items()}


def main() -> None:
    peer, name = sys.argv[1:]
    import torch
    from workloads import ALL

    (workload,) = (one for one in ALL if one.name == name)
    torch.set_num_threads(1)
    network, inputs = workload.callable(), workload.arguments()
    before = peak_bytes()["parent"]
    call = network if peer == "eager" else torch.compile(network, backend=peer, fullgraph=True)
    with torch.no_grad():
        for _ in range(CALLS):
            call(*inputs)
    print(json.dumps({**peak_bytes(), "before": before}))


if __name__ == "__main__":
    main()

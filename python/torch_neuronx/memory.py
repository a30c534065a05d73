"""Statistics of the device's memory, as the caching allocator counts them.

reserved: taken from the runtime in segments. allocated: in tensors. active: in tensors, or freed but still in use by
another stream (Tensor.record_stream). Always reserved >= active >= allocated.
"""

from . import _C
from .placement import index_of

_TABLE = (("Allocated", "allocated_bytes"), ("Reserved", "reserved_bytes"), ("Active", "active_bytes"))


def memory_stats(device=None) -> dict:
    """Counters by name; those of bytes are dicts of current, peak, allocated and freed."""
    return _C.memory_stats(index_of(device))


def memory_allocated(device=None) -> int:
    """Bytes in tensors now."""
    return memory_stats(device)["allocated_bytes"]["current"]


def max_memory_allocated(device=None) -> int:
    """Most bytes in tensors since the start, or reset_peak_memory_stats."""
    return memory_stats(device)["allocated_bytes"]["peak"]


def memory_reserved(device=None) -> int:
    """Bytes taken from the runtime now."""
    return memory_stats(device)["reserved_bytes"]["current"]


def max_memory_reserved(device=None) -> int:
    """Most bytes taken from the runtime since the start, or reset_peak_memory_stats."""
    return memory_stats(device)["reserved_bytes"]["peak"]


def mem_get_info(device=None) -> tuple:
    """(free, total) bytes of the device."""
    return _C.memory_info(index_of(device))


def reset_peak_memory_stats(device=None):
    """Peaks begin anew at the current values."""
    _C.reset_peak_memory_stats(index_of(device))


def reset_accumulated_memory_stats(device=None):
    """What counts up begins anew at 0."""
    _C.reset_accumulated_memory_stats(index_of(device))


def empty_cache():
    """Gives segments without tensors back to the runtime; waits for the device first."""
    _C.empty_cache()


def _size(count) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(count) < 1024 or unit == "GiB":
            return f"{count} B" if unit == "B" else f"{count:.2f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def memory_summary(device=None, abbreviated=False) -> str:
    """The statistics as text; `abbreviated` leaves out what holds the memory."""
    index = index_of(device)
    stats = memory_stats(index)
    lines = [
        "=" * 75,
        f"  Neuron Memory Summary, Device {index}",
        "-" * 75,
        f"  Allocations: {stats['allocation_requests']}  |  Frees: {stats['num_tensor_frees']}",
        f"  OOMs: {stats['num_ooms']}  |  Alloc Retries: {stats['num_alloc_retries']}",
        "=" * 75,
        "  Metric              | Current    | Peak       | Allocated  | Freed",
        "-" * 75,
    ]
    for label, key in _TABLE:
        values = (_size(stats[key][column]) for column in ("current", "peak", "allocated", "freed"))
        lines.append(f"  {label + ' Memory':<19} | " + " | ".join(f"{value:<10}" for value in values))
    if not abbreviated:
        lines += _owners(index)
    return "\n".join([*lines, "=" * 75]) + "\n"


def _owners(index):
    """Lines of what made the tensors that hold memory, most first."""
    owners = {}
    for block in _C.memory_held(index):
        if block["requested"]:
            count, size = owners.get(block["owner"] or "other", (0, 0))
            owners[block["owner"] or "other"] = (count + 1, size + block["size"])
    lines = ["-" * 75, "  Made by             | Tensors    | Memory"]
    for owner, (count, size) in sorted(owners.items(), key=lambda item: -item[1][1])[:10]:
        lines.append(f"  {owner:<19} | {count:<10} | {_size(size)}")
    return lines


def _snapshot(device=None) -> dict:
    """Segments and their blocks in the form of torch.cuda.memory._snapshot, which PyTorch's visualizer reads."""
    index, segments = index_of(device), {}
    for block in _C.memory_held(index):
        segment = segments.setdefault(
            block["segment"],
            {
                "address": block["segment"],
                "device": index,
                "stream": 0,
                "segment_type": "large",
                "total_size": 0,
                "allocated_size": 0,
                "active_size": 0,
                "requested_size": 0,
                "segment_pool_id": (0, 0),
                "frames": [],
                "blocks": [],
            },
        )
        segment["total_size"] += block["size"]
        taken = block["requested"] > 0
        segment["requested_size"] += block["requested"]
        for key in ("allocated_size", "active_size"):
            segment[key] += block["size"] if taken else 0
        segment["blocks"].append(
            {
                "address": block["address"],
                "size": block["size"],
                "requested_size": block["requested"],
                "state": "active_allocated" if taken else "inactive",
                "frames": [{"filename": "??", "name": block["owner"], "line": 0}] if block["owner"] else [],
            }
        )
    return {"segments": list(segments.values()), "device_traces": [[] for _ in range(_C.device_count())]}


def _dump_snapshot(filename="dump_snapshot.pickle", device=None):
    """Writes _snapshot() to a file for https://pytorch.org/memory_viz."""
    import pickle

    with open(filename, "wb") as file:
        pickle.dump(_snapshot(device), file)

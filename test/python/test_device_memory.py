"""The caching allocator: statistics, reuse, and what happens when memory is full."""

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch
from test_device import run

MIB = 1 << 20


@pytest.fixture(autouse=True)
def clean():
    torch.neuron.synchronize()
    torch.neuron.empty_cache()
    torch.neuron.reset_peak_memory_stats()
    torch.neuron.reset_accumulated_memory_stats()


def test_statistics():
    before = torch.neuron.memory_allocated()
    tensor = torch.empty(3 * MIB, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_allocated() - before == 3 * MIB
    stats = torch.neuron.memory_stats()
    reserved, active, allocated = (stats[f"{key}_bytes"]["current"] for key in ("reserved", "active", "allocated"))
    assert reserved >= active >= allocated >= 3 * MIB
    assert stats["allocation_requests"] == 1 and stats["num_ooms"] == 0
    del tensor
    assert torch.neuron.memory_allocated() == before
    assert torch.neuron.max_memory_allocated() - before >= 3 * MIB
    assert torch.neuron.memory_reserved() == reserved, "freed memory is kept for the next tensor"
    torch.neuron.empty_cache()
    assert torch.neuron.memory_reserved() < reserved
    assert torch.accelerator.memory_allocated() == before


@pytest.mark.parametrize(("asked", "taken"), [(1, 256), (256, 256), (257, 512), (3000, 3072), (16 * MIB + 1, 16 * MIB + 256)])
def test_size_classes(asked, taken):
    before = torch.neuron.memory_allocated()
    tensor = torch.empty(asked, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_allocated() - before == taken
    del tensor


def test_freed_memory_is_used_again():
    first = torch.empty(1000, device="neuron").data_ptr()
    assert torch.empty(1000, device="neuron").data_ptr() == first
    segments = torch.neuron.memory_stats()["num_device_alloc"]
    for _ in range(100):
        torch.empty(5 * MIB, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_stats()["num_device_alloc"] - segments <= 1


def test_neighbours_join_again():
    parts = [torch.empty(2 * MIB, dtype=torch.uint8, device="neuron") for _ in range(8)]
    reserved = torch.neuron.memory_reserved()
    del parts
    whole = torch.empty(15 * MIB, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_reserved() == reserved
    del whole


def test_random_sizes_do_not_overlap():
    import random

    random.seed(1)
    kept = {}
    for step in range(400):
        if kept and random.random() < 0.45:
            value, tensor = kept.popitem()
            assert tensor.cpu().eq(value).all()
            continue
        size = random.choice([random.randrange(1, 4096), random.randrange(1, MIB), random.randrange(MIB, 3 * MIB)])
        kept[step % 251] = torch.full((size,), step % 251, dtype=torch.uint8, device="neuron")
    for value, tensor in kept.items():
        assert tensor.cpu().eq(value).all()


def test_a_full_memory_says_what_holds_it_and_leaves_all_usable():
    free, total = torch.neuron.mem_get_info()
    held = torch.zeros(MIB, device="neuron").exp()
    with pytest.raises(torch.OutOfMemoryError, match=r"GiB were asked for(.|\n)*made by aten::exp \(1 tensors\): 4.00 MiB"):
        torch.empty(total, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_stats()["num_ooms"] == 1
    assert held.sum().item() == MIB
    assert torch.neuron.mem_get_info()[0] <= free


def test_cached_memory_makes_way():
    _, total = torch.neuron.mem_get_info()
    # Addresses only: nothing is written there.
    first = torch.empty(total // 2, dtype=torch.uint8, device="neuron")
    del first
    second = torch.empty(total * 3 // 4, dtype=torch.uint8, device="neuron")
    assert torch.neuron.memory_stats()["num_alloc_retries"] == 1
    del second


def test_summary():
    tensor = torch.ones(1000, device="neuron")
    lines = torch.neuron.memory_summary().splitlines()
    assert lines[0] == "=" * 75 and lines[1] == "  Neuron Memory Summary, Device 0"
    assert any(line.startswith("  Allocated Memory") for line in lines)
    assert len(torch.neuron.memory_summary(abbreviated=True)) < len(torch.neuron.memory_summary())
    del tensor


def test_snapshot_is_what_the_visualizer_reads(tmp_path):
    tensor = torch.ones(1000, device="neuron")
    snapshot = torch.neuron.memory._snapshot()
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    assert any(block["address"] == tensor.data_ptr() and block["state"] == "active_allocated" for block in blocks)
    assert all(segment["total_size"] == sum(b["size"] for b in segment["blocks"]) for segment in snapshot["segments"])
    torch.neuron.memory._dump_snapshot(tmp_path / "snapshot.pickle")


def test_dispatches_do_not_leak():
    program = """
        import resource, torch
        x = torch.ones(8, 8, device="neuron")
        def some(count):
            for _ in range(count):
                y = (x + x) * x
            torch.neuron.synchronize()
        some(2000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        allocated = torch.neuron.memory_allocated()
        some(4000)
        assert torch.neuron.memory_allocated() == allocated
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096)
    """
    assert run(program) == "True"

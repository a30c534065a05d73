"""Streams and events of the device: order, waiting, and the simulated clock."""

import threading

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch


def busy(count=20, size=256):
    """Work on the current stream; its result is checkable."""
    value = torch.eye(size, device="neuron")
    for _ in range(count):
        value = value @ torch.eye(size, device="neuron")
    return value


def test_streams_are_torch_streams():
    stream = torch.neuron.Stream()
    assert isinstance(stream, torch.Stream)
    assert stream.device == torch.device("neuron", 0) and stream.stream_id != 0
    assert torch.neuron.current_stream() == torch.neuron.default_stream()
    with torch.neuron.stream(stream):
        assert torch.neuron.current_stream() == stream
    assert torch.neuron.current_stream().stream_id == 0


def test_a_stream_runs_apart_from_the_host():
    stream = torch.neuron.Stream()
    busy(1)
    torch.neuron.synchronize()
    with torch.neuron.stream(stream):
        result = busy()
    waiting = not stream.query()
    stream.synchronize()
    assert stream.query()
    assert waiting, "twenty products were done before they were all asked for"
    assert torch.equal(result.cpu(), torch.eye(256))


def test_events_order_streams():
    first, second = torch.neuron.Stream(), torch.neuron.Stream()
    for _ in range(10):
        with torch.neuron.stream(first):
            value = busy(5, 128) * 3
            ready = first.record_event(torch.neuron.Event())
        second.wait_event(ready)
        with torch.neuron.stream(second):
            result = value + 1
        second.synchronize()
        assert torch.equal(result.cpu(), torch.eye(128) * 3 + 1)


def test_elapsed_time_is_that_of_the_device():
    def measure():
        start, end = torch.neuron.Event(enable_timing=True), torch.neuron.Event(enable_timing=True)
        start.record()
        value = busy(1, 64)
        torch.neuron.synchronize()
        end.record()
        end.synchronize()
        del value
        return start.elapsed_time(end)

    measure()
    assert 0.01 < measure() < 1000  # a launch at least, in milliseconds
    with pytest.raises((ValueError, RuntimeError), match="enable_timing"):
        a, b = torch.neuron.Event(), torch.neuron.Event()
        a.record(), b.record()
        torch.neuron.synchronize()
        a.elapsed_time(b)


def test_events_that_were_not_recorded():
    event = torch.neuron.Event()
    assert event.query()
    event.synchronize()
    with pytest.raises(ValueError, match="recorded"):
        torch.neuron.Event(enable_timing=True).elapsed_time(torch.neuron.Event(enable_timing=True))


def test_memory_is_not_reused_while_another_stream_reads_it():
    side = torch.neuron.Stream()
    for _ in range(20):
        value = torch.full((1 << 18,), 7.0, device="neuron")
        side.wait_stream(torch.neuron.current_stream())
        with torch.neuron.stream(side):
            busy(3, 128)
            total = value.sum()
        value.record_stream(side)
        del value
        torch.full((1 << 18,), 1.0, device="neuron")
        side.synchronize()
        assert total.item() == 7.0 * (1 << 18)


def test_threads_have_streams_of_their_own():
    results, errors = {}, []

    def work(index):
        try:
            with torch.neuron.stream(torch.neuron.Stream()):
                value = torch.full((64, 64), float(index), device="neuron")
                for _ in range(20):
                    value = value * 1.0 + 0.0
                results[index] = value.cpu()
        except Exception as error:  # shown by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors
    assert all(results[index].eq(index).all() for index in range(6))


def test_accelerator():
    stream = torch.Stream("neuron")
    torch.accelerator.set_stream(stream)
    assert torch.accelerator.current_stream() == stream
    torch.accelerator.set_stream(torch.neuron.default_stream())
    torch.accelerator.synchronize()
    event = torch.Event("neuron", enable_timing=True)
    event.record()
    event.synchronize()


def test_launch_blocking(tmp_path):
    from test_device import run

    program = """
        import torch
        table, index = torch.randn(4, 2, device="neuron"), torch.tensor([9], device="neuron")
        try:
            torch.index_select(table, 0, index)
        except IndexError:
            print("at once")
    """
    assert run(program, NEURON_LAUNCH_BLOCKING="1") == "at once"

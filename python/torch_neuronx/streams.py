"""Streams and events: torch.Stream and torch.Event of the device 'neuron'.

Work on a stream is done in order and apart from the host; `elapsed_time` is measured on the device's simulated clock.
"""

import torch

from .placement import index_of


class _OnNeuron(type):
    """Instances are torch's own objects, on the device: its methods take no subclasses of them."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.base) and value.device is not None and value.device.type == "neuron"


class Stream(metaclass=_OnNeuron):
    """A torch.Stream of the device: a queue of work of its own. `priority` is accepted and has no effect."""

    base = torch.Stream

    def __new__(cls, device=None, priority=0, **kwargs):
        if "stream_id" in kwargs:
            return torch.Stream(**kwargs)
        return torch.Stream(device=torch.device("neuron", index_of(device)), priority=priority)


class Event(metaclass=_OnNeuron):
    """A torch.Event of the device: a point in a stream. With enable_timing=True, `elapsed_time(end)` gives
    milliseconds of simulated time."""

    base = torch.Event

    def __new__(cls, enable_timing=False, blocking=False):
        return torch.Event(device="neuron", enable_timing=enable_timing, blocking=blocking)


def current_stream(device=None):
    """The stream that this thread's work on the device goes to."""
    return torch.accelerator.current_stream(torch.device("neuron", index_of(device)))


def default_stream(device=None):
    """The stream that work goes to unless another is chosen."""
    kind = torch._C._autograd.DeviceType.PrivateUse1.value
    return Stream(stream_id=0, device_index=index_of(device), device_type=kind)


def set_stream(stream):
    """Makes `stream` the current one of its device; None changes nothing."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


class StreamContext:
    """`with torch.neuron.stream(s):` work goes to `s`; the device and stream from before come back after it."""

    def __init__(self, stream):
        self.stream = stream
        self.before = None

    def __enter__(self):
        if self.stream is not None:
            self.before = (torch.accelerator.current_device_index(), current_stream(self.stream.device))
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *exception):
        if self.before is not None:
            device, stream = self.before
            set_stream(stream)
            torch.accelerator.set_device_index(device)


def stream(stream):
    """The context manager that makes `stream` the current one."""
    return StreamContext(stream)


def synchronize(device=None):
    """Waits until all streams of the device are done. Raises the first error of what they did."""
    from . import _C

    _C.synchronize_device(index_of(device))


def wait_stream(stream):
    """What the current stream gets from now on waits for what `stream` has now."""
    current_stream(stream.device).wait_stream(stream)


def wait_event(event):
    """What the current stream gets from now on waits for `event`."""
    current_stream().wait_event(event)


def record_event(event=None):
    """Records an event, a new one if none is given, on the current stream, and returns it."""
    return current_stream().record_event(event if event is not None else Event())


def query():
    """Whether all of the current stream's work is done."""
    return current_stream().query()

"""Which operations ran, and where: how tests and users show that nothing fell back to the CPU."""

from . import _C


def get_executed_ops() -> list:
    """Names of the eager operations that the device computed since the last clear_op_tracking, as 'aten::add'."""
    return sorted(_C.executed_ops()[0])


def get_fallback_ops() -> list:
    """Names of the eager operations that ran on the CPU, with copies, since the last clear_op_tracking."""
    return sorted(_C.executed_ops()[1])


def clear_op_tracking():
    """Forgets both lists."""
    _C.clear_executed_ops()


def is_neuron_runtime_initialized() -> bool:
    """Whether the runtime is started."""
    return _C.is_initialized()

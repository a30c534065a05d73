"""Prints what happened and checks it."""

from __future__ import annotations

import torch

from .session import Run


class Checks:
    """Claims that are printed with what became of them."""

    def __init__(self):
        self.failed = 0

    def __call__(self, holds: bool, claim: str) -> None:
        self.failed += not holds
        print(f"  {'ok    ' if holds else 'FAILED'} {claim}")


def heading(text: str) -> None:
    print(f"\n{text}\n{'=' * len(text)}")


def block(title: str, text: str) -> None:
    print(f"\n-- {title}\n")
    print("\n".join("  " + line for line in text.strip("\n").splitlines()))


def describe_neff(run: Run) -> str:
    """Header, members, inputs and outputs."""
    file = run.neff
    header = file.header
    lines = [
        str(run.neff_path),
        f"NEFF {header.major}.{header.minor}, {header.header_size} bytes of header, {header.data_size} of payload",
        f"name {header.name}, uuid {header.uuid}",
    ]
    lines += [f"member  {len(content):7} bytes  {name}" for name, content in file.members.items()]
    for role, tensors in [("input", file.inputs), ("output", file.outputs)]:
        lines += [f"{role:7} {tensor.name}: {tensor.dtype}{list(tensor.shape)}" for tensor in tensors]
    return "\n".join(lines)


def check_one_dispatch(check: Checks, run: Run) -> None:
    check(run.neffs_made == 1, f"NEFFs made: {run.neffs_made}")
    check(run.kernels == 1, f"kernels in it: {run.kernels}")
    check(run.dispatches == 1, f"times dispatched: {run.dispatches}")
    check(run.bytes_copied == 0, f"bytes copied from CPU tensors: {run.bytes_copied} (they are attached)")


def check_error(check: Checks, result: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor, terms: int = 1) -> None:
    """Compares with float64.

    A result may be as wrong as eager's, or by one rounding of the largest value, and
    a unit in the last place of float32 for each term that is summed into it.
    """
    error, eager_error = (float((value.double() - exact).abs().max()) for value in (result, eager))
    units = 0.5 * torch.finfo(result.dtype).eps + terms * torch.finfo(torch.float32).eps
    bound = max(eager_error, units * float(exact.abs().max()))
    check(
        result.dtype == eager.dtype and error <= bound,
        f"largest error against float64: {error:.2e}; eager's own: {eager_error:.2e}; allowed: {bound:.2e}",
    )


def print_device_time(check: Checks, run: Run) -> None:
    if run.device_seconds is None:
        print("         device time: not known (only the simulator predicts it)")
        return
    check(
        run.device_seconds > 0,
        f"device time: {run.device_seconds * 1e6:.2f} us, predicted by the simulator's model of trn2, not measured",
    )

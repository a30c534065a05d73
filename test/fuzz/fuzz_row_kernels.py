"""Random row-kernel programs, compiled, against eager CPU.

    python test/fuzz/fuzz_row_kernels.py --count 300 --seed 0
    python test/fuzz/fuzz_row_kernels.py --show --seed 1234 --count 1

Program k of a run has the seed (--seed + k). What is compared is said in
reference.py. Both forms of the simulator must agree bit for bit. A failure is
made smaller and printed as a program that shows it. Exit status 1 if any.
"""

from __future__ import annotations

import functools
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import campaign
import neuron_testing as nt
import torch
from generate import Generator
from reference import check, same_bits

FORMS = tuple(os.environ.get("NEURON_FUZZ_FORMS", "interpreter compiled").split())


def options_of(program, form):
    return {"rounding": program.rounding, "simulator": form, "disable_cache": form == FORMS[0]}


def compiled(program, form):
    """Runs the program on the device; `form` of the simulator."""
    torch._dynamo.reset()
    extra = {"options": options_of(program, form)} if nt.BACKEND == "neuron" else {}
    fn = torch.compile(program.function(), backend=nt.BACKEND, fullgraph=True, dynamic=False, **extra)
    return fn(*program.arguments())


def compiled_directly(program, form):
    """The same without Dynamo and AOTAutograd, which take most of the time."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch_neuronx import _C
    from torch_neuronx.neuron_dynamo_backend.compile import compile_static
    from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table

    arguments = program.arguments()
    functional = torch.func.functionalize(program.function(), remove="mutations")
    tracer = make_fx(functional, get_decomposition_table(), tracing_mode="fake")
    with torch.no_grad():
        gm = tracer(*arguments)
        # Decompositions may themselves work in place, below the functionalization.
        if any(getattr(node.target, "_schema", None) and node.target._schema.is_mutable for node in gm.graph.nodes):
            gm = make_fx(torch.func.functionalize(gm, remove="mutations"), tracing_mode="fake")(*arguments)
    return compile_static(gm, "inference", _C.Options(options_of(program, form)))(arguments)


def classify(error, program):
    """(status, detail) of an exception: unsupported, untraceable or failed."""
    refused = nt.compilation_error(error)
    if refused is None:
        torch._dynamo.reset()
        try:
            torch.compile(program.function(), backend="aot_eager", fullgraph=True)(*program.arguments())
        except Exception:
            return nt.UNTRACEABLE, ""
        return nt.FAILED, nt.brief(error)
    classes, faults = nt.unsupported_classes(refused)
    if faults:
        return nt.FAILED, "refused: " + " ".join(faults[0].split())[:400]
    return nt.UNSUPPORTED, " ".join(sorted(set(classes.values())))


def run(program, direct=False):
    """(status, detail) of one program."""
    first = None
    execute = compiled_directly if direct else compiled
    for form in FORMS if nt.BACKEND == "neuron" else FORMS[:1]:
        try:
            got = execute(program, form)
        except Exception as error:
            return classify(error, program)
        if first is None:
            first = got
            why = check(program, got)
            if why:
                return nt.WRONG, why
            continue
        for index, (a, b) in enumerate(zip(first, got)):
            if not same_bits(a, b).all():
                return nt.WRONG, f"output {index}: the forms of the simulator differ"
    return nt.RIGHT, ""


def fuzz(seed, count, seconds=None, verbose=False, direct=0, out=sys.stdout):
    """Runs programs; returns (tally, failures as text). All but every direct-th bypass Dynamo."""

    def programs():
        for number in range(seed, seed + count):
            program = Generator(number).program()
            bypass = bool(direct) and number % direct != 0
            # Outside of AOTAutograd these are taken apart before they can be kept whole, and rounded between.
            bypass = bypass and not any(name in op.text for op in program.ops for name in ("rms_norm", "linear"))
            yield number, program, functools.partial(run, direct=bypass)

    return campaign.fuzz(programs(), seconds, verbose, out)


def main():
    parser = campaign.parser(__doc__, count=300)
    parser.add_argument(
        "--direct", type=int, default=0, metavar="N", help="only every Nth goes through Dynamo; quicker"
    )
    options = parser.parse_args()
    return campaign.report(
        lambda: fuzz(options.seed, options.count, options.seconds, options.show, options.direct)
    )


if __name__ == "__main__":
    sys.exit(main())

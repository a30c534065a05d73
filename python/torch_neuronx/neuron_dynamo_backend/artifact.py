"""What a graph is compiled to: a picklable OutputCode that AOTAutograd can cache, and that runs on the device."""

import dataclasses
import re
from typing import Any

from torch._inductor.output_code import OutputCode

from .. import _C
from ..metrics import count
from .exceptions import NEFFCompilationError, NEFFExecutionError
from .numbers import is_number
from .pairs import Boundary
from .places import Places


@dataclasses.dataclass
class NeuronOutputCode(OutputCode):
    """One static graph: its NEFF and the plan by which the executor binds and returns tensors."""

    neff: bytes
    plan: dict
    key: str = ""
    graph_name: str = ""
    simulator: str = ""
    places: Places = dataclasses.field(default_factory=lambda: Places([], [], [], {}))
    boundary: Boundary | None = None  # of complex inputs and outputs
    _executor: Any = dataclasses.field(default=None, init=False, repr=False)

    def __post_init__(self):
        self._boxed_call = True  # AOTAutograd's wrapper copies attributes of the instance

    def load(self):
        # What fails on the device is reported later, from a thread without Python: it needs the text now.
        tensors = self.plan["placeholders"] + self.plan["results"]
        there = any(tensor.get("device", "cpu") != "cpu" for tensor in tensors)
        texts = self.places.texts() if there else {}
        self._executor = _C.Executor(self.neff, self.plan, self.simulator, self.graph_name, texts, self.places.lines())
        return self

    def __call__(self, inputs):
        try:
            return self.boundary.call(self._executor, inputs) if self.boundary else self._executor(inputs)
        except NEFFExecutionError as error:
            raise self._with_places(error) from None

    def _with_places(self, error):
        """The error, with the operations that its text names by their location ids."""
        text = str(error)
        ids = dict.fromkeys(int(number) for number in re.findall(r"\bL(\d+)\b", text))
        known = self.places.texts()
        places = [known[number] for number in ids if number in known]
        return type(error)("\n".join([text, *places])) if places else error

    @property
    def predicted_time_ps(self):
        return self._executor.predicted_time_ps

    # What AOTAutograd's cache calls: before pickling (on a copy), after loading, and for Triton.
    def prepare_for_serialization(self):
        self._executor = None

    def post_compile(self, example_inputs, constants, graph_kwargs):
        count("CompilationCache.AOTAutogradHits")
        self.places.renew()
        self.load()

    def set_triton_bundle(self, triton_bundle):
        pass


@dataclasses.dataclass
class KeyedOutputCode(NeuronOutputCode):
    """A graph that draws some of its random numbers again, or whose numbers are drawn again by another."""

    keys: Any = None  # higher_order.random_states.Keys

    def __call__(self, inputs):
        import torch

        given = self.plan["placeholders"][-1]
        calls = self.keys.draw(inputs, given["device"])
        unused = given["shape"][0] - sum(self.keys.counts)
        inputs.append(torch.cat([*calls, torch.zeros(unused, dtype=torch.int64, device=given["device"])]))
        outputs = super().__call__(inputs)
        for position, call in self.keys.saved.items():
            outputs[position] = calls[call]
        return outputs


class NotCached(OutputCode):
    """A callable that AOTAutograd must not keep."""

    def __init__(self):
        super().__init__()
        self._boxed_call = True

    def prepare_for_serialization(self):
        from torch._functorch._aot_autograd.autograd_cache import BypassAOTAutogradCache

        raise BypassAOTAutogradCache(f"{type(self).__name__} is made anew in each process")

    def post_compile(self, example_inputs, constants, graph_kwargs):
        raise AssertionError("never cached")

    def set_triton_bundle(self, triton_bundle):
        pass


class FailedBackward(NotCached):
    """Stands for a backward graph that could not be compiled: the error comes when gradients are asked for."""

    def __init__(self, error: NEFFCompilationError):
        super().__init__()
        self.error = error

    def __call__(self, inputs):
        error = NEFFCompilationError(f"the backward of this graph is needed now.\n{self.error}")
        error.unsupported = getattr(self.error, "unsupported", [])
        raise error from self.error


class DynamicGraph(NotCached):
    """A graph with symbolic sizes, or that reads the memory its inputs lie in (specialize.reads_memory), or elements of
    tensors as numbers (numbers.py): traced and compiled again for each way in which its inputs lie."""

    def __init__(self, gm, role, options, compile_static):
        super().__init__()
        self.gm, self.role, self.options, self.compile_static = gm, role, options, compile_static
        placeholders = gm.graph.find_nodes(op="placeholder")
        self.numbers = [i for i, node in enumerate(placeholders) if is_number(node.meta.get("val"))]
        self.static = {}

    @staticmethod
    def _key(value):
        import torch

        if isinstance(value, torch.Tensor):
            return tuple(value.shape), tuple(value.stride()), value.storage_offset(), value.dtype
        return value

    def __call__(self, inputs):
        import torch

        for index in self.numbers:
            dtype = torch.float64 if isinstance(inputs[index], float) else None
            inputs[index] = torch.tensor(inputs[index], dtype=dtype)
        key = tuple(self._key(value) for value in inputs)
        if key not in self.static:
            from .specialize import specialize

            gm, returned = specialize(self.gm, inputs, self.options)
            self.static[key] = self.compile_static(gm, self.role, self.options), returned
        compiled, returned = self.static[key]
        outputs = compiled(inputs)
        for index in returned:
            outputs[index] = outputs[index].item()
        return outputs

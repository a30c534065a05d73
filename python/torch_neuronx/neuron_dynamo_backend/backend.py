"""torch.compile(backend='neuron')."""

import functools
import hashlib
import inspect
import warnings
from pathlib import Path

import torch
import torch._inductor.config
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.utils import register_graphsafe_rng_device_type
from torch._functorch.aot_autograd import SerializableAOTDispatchCompiler
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .. import _C, __version__
from ..environment import warn_of_ignored
from . import assignments, first, places
from .artifact import NeuronOutputCode
from .compile import compile_fx
from .decompositions import get_traced_decomposition_table, has_registered
from .exceptions import NeuronError

# AOTAutograd then hands the device's graphs generators for what is drawn again in a backward.
register_graphsafe_rng_device_type("neuron")


def _options(options) -> "_C.Options":
    """The option table's values: defaults, environment, then the user's."""
    values = dict(options or {})
    # torch.compile's own argument, passed on by some callers; shapes are specialized either way.
    values.pop("dynamic", None)
    return _C.Options(values)


@functools.cache
def _sources_digest() -> str:
    """Of this package's Python: decompositions and the artifact's fields are no part of the compiler's build id."""
    digest = hashlib.sha256()
    # In a build tree the folders are links, which rglob does not follow.
    for path in sorted(Path(__file__).resolve().parent.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_tag(options) -> str:
    """AOTAutograd's key does not know our compiler and its options."""
    build = f"{__version__} {_C.build_id()} {_sources_digest()}"
    return f"neuron {build} {options.key()} simulator={options.simulator}"


def neuron_backend(gm, example_inputs, *, options=None, mode="default"):
    """The Dynamo backend: `options` as in the table of options, `mode` only 'default'."""
    if mode not in (None, "default"):
        warnings.warn(f"Neuron backend does not support mode='{mode}', falling back to default mode.", stacklevel=2)
    warn_of_ignored()
    values = _options(options)

    def compiler(role):
        return SerializableAOTDispatchCompiler(
            NeuronOutputCode, functools.partial(compile_fx, role=role, options=values)
        )

    assignments.rewrite(gm)
    try:
        return _compile(gm, example_inputs, compiler, values)
    except NeuronError as error:
        # Dynamo cuts the traceback here; what is above tells the user nothing.
        error.first_useful_frame = inspect.currentframe()
        raise


def _compile(gm, example_inputs, compiler, values):
    user_tag = torch.compiler.config.cache_key_tag
    settings = {"bundled_autograd_cache": True, "force_non_lazy_backward_lowering": True}
    if values.preserve_artifacts or has_registered():
        # What is to be dumped has to be made; and no key knows a user's decompositions.
        settings["enable_autograd_cache"] = False
    cacheable = {**torch._inductor.config.unsafe_marked_cacheable_functions, **assignments.CACHEABLE}
    with (
        places.traced(gm),
        first.ours(),
        torch._functorch.config.patch(settings),
        torch._inductor.config.patch(unsafe_marked_cacheable_functions=cacheable),
        torch.compiler.config.patch(cache_key_tag=f"{user_tag} {_cache_tag(values)}".strip()),
    ):
        return aot_autograd(
            fw_compiler=compiler("forward"),
            bw_compiler=compiler("backward"),
            inference_compiler=compiler("inference"),
            decompositions=get_traced_decomposition_table,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=True,
        )(gm, example_inputs)


def create_neuron_backend():
    """A callable for torch.compile(backend=...)."""
    return functools.partial(neuron_backend)

"""One FX graph of ATen operations to a callable."""

import logging
import time
import warnings

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from .. import _C, metrics
from . import diagnostics, dumps, names, numbers, pairs
from .artifact import DynamicGraph, FailedBackward, KeyedOutputCode, NeuronOutputCode
from .exceptions import NEFFCompilationError
from .higher_order import random_states, while_loops
from .higher_order.expansion import expand
from .higher_order.refusal import Refusal
from .places import Places
from .specialize import is_dynamic, reads_memory

log = logging.getLogger(__name__)


def import_graph(gm, options):
    """(module in the neuron dialect, nodes of the graph); raises NEFFCompilationError listing what cannot be."""
    with unset_fake_temporarily():  # real constants of the graph are read
        module = _C.import_fx(gm)
    nodes = list(gm.graph.nodes)
    if module.unsupported:
        unsupported = [(nodes[index], reason, hint) for index, reason, hint in module.unsupported]
        raise diagnostics.compilation_error(gm, unsupported, options)
    return module, nodes


def without_complex(gm, options):
    """(the graph in real tensors alone, what stands for its complex inputs and outputs or None)"""
    if not pairs.has_complex(gm):
        return gm, None
    real, boundary, unsupported = pairs.rewrite(gm)
    if unsupported:
        raise diagnostics.compilation_error(gm, unsupported, options)
    return real, boundary


def _artifact(name, text):
    """For TORCH_TRACE and tlparse."""
    torch._logging.trace_structured(
        "artifact", metadata_fn=lambda: {"name": name, "encoding": "string"}, payload_fn=lambda: text
    )


def compile_static(gm, role, options, keys=None) -> NeuronOutputCode:
    """Compiles a graph whose sizes are all known, and loads it. `keys`: what random_states.take said of it."""
    model = options.model_name or names.get_model_name()
    graph_name = names.graph_name(model, role)
    begin = time.perf_counter()
    dump = dumps.Dump(options, model) if options.preserve_artifacts else None
    if dump:
        dump.fx_graph(gm)
    with torch._dynamo.utils.dynamo_timed("torch_neuronx_lower"):
        gm, boundary = without_complex(gm, options)
        module, nodes = import_graph(gm, options)
    lowered = time.perf_counter()
    plan = module.plan()
    if dump or log.isEnabledFor(logging.DEBUG) or torch._logging._internal.trace_log.handlers:
        text = module.text()
        log.debug("%s\n%s", graph_name, text)
        _artifact(f"neuron_graph_{graph_name}", text)
        if dump:
            dump.raw(text)

    neff, key = b"", ""
    if plan["results"]:
        with torch._dynamo.utils.dynamo_timed("torch_neuronx_compile"):
            try:
                compiled = _C.compile(module, options, dumps=dump is not None)
            except NEFFCompilationError as error:
                raise diagnostics.pipeline_error(gm, str(error), options) from error
        neff, key = compiled.neff, compiled.key
        for text in compiled.warnings:
            warnings.warn(text, stacklevel=2)
        metrics.compiled(compiled.cache_hit, time.perf_counter() - lowered, len(neff), compiled.in_memory)
        if dump:
            dump.compiled(compiled)
    metrics.record_graph(
        graph_id=key,
        graph_name=graph_name,
        model_name=model,
        graph_node_count=len(gm.graph.nodes),
        lower_us=(lowered - begin) * 1e6,
        compile_us=(time.perf_counter() - lowered) * 1e6,
    )
    places = Places.of(nodes, module.locations)
    if keys is None:
        return NeuronOutputCode(neff, plan, key, graph_name, options.simulator, places, boundary).load()
    plan = random_states.with_keys_as_input(plan)
    return KeyedOutputCode(neff, plan, key, graph_name, options.simulator, places, boundary, keys).load()


def _with_keys(gm, role, options):
    if while_loops.has_loops(gm):
        node = next(node for node in gm.graph.nodes if node.target is torch.ops.higher_order.while_loop)
        reason = "a loop in a graph that draws the same random numbers again (activation checkpointing)"
        raise diagnostics.compilation_error(gm, [(node, reason, "take the loop out of the checkpoint")], options)
    plain, keys = random_states.take(gm)
    return plain, role, options, keys


def compile_graph(gm, role, options):
    """Compiles a graph whose sizes are all known, with whatever it has of higher-order operations."""
    gm = expand(gm, options)
    if random_states.has_states(gm):
        return compile_static(*_with_keys(gm, role, options))
    if not while_loops.has_loops(gm):
        return compile_static(gm, role, options)
    return while_loops.split(gm, lambda piece: compile_graph(piece, role, options))


def compile_fx(gm, example_inputs, *, role, options):
    """What AOTAutograd calls for each of its graphs."""
    del example_inputs
    try:
        while_loops.check(gm)
    except Refusal as refusal:
        raise diagnostics.compilation_error(gm, [(refusal.node, refusal.reason, refusal.hint)], options) from None
    if is_dynamic(gm) or reads_memory(gm) or numbers.are_used(gm):
        return DynamicGraph(gm, role, options, compile_graph)
    if role != "backward":
        return compile_graph(gm, role, options)
    try:
        return compile_graph(gm, role, options)
    except NEFFCompilationError as error:
        # Lowered together with the forward; whoever only runs that must not fail for it.
        log.info("the backward graph cannot be compiled: %s", error)
        return FailedBackward(error)

"""How long the timing model takes for a network, as it gets deeper.

    python benchmarks/timeline.py

GPT-2 small (batch 1 x 512 tokens) with 12 and with 48 equal layers: seconds for the
predicted time of one step, and for its timeline of every instruction (medians).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "models"))

import torch  # noqa: E402  after the environment is set
from nrt import library  # noqa: E402


class _Timeline(ctypes.Structure):
    """neuron_sim_timeline_t"""

    _fields_ = [("total_ps", ctypes.c_int64), ("num_events", ctypes.c_uint64), ("events", ctypes.c_void_p)]


def compiled_neff(layers: int, tokens: int) -> bytes:
    import networks
    import transformers

    config = transformers.GPT2Config(n_layer=layers, vocab_size=512, use_cache=False)
    network = networks.Output(transformers.GPT2LMHeadModel(config), "logits").eval()
    with tempfile.TemporaryDirectory() as cache, torch.no_grad():
        torch.compiler.reset()
        compiled = torch.compile(network, backend="neuron", fullgraph=True, options={"cache_dir": cache})
        compiled(networks.tokens(512, 1, tokens))
        (path,) = Path(cache).rglob("*.neff")
        return path.read_bytes()


def seconds(neff: bytes, rounds: int) -> tuple[float, float, int, float]:
    """Seconds to simulate, and to simulate and list; events; predicted microseconds."""
    nrt, simulated, listed = library(), [], []

    def timed(function, *arguments) -> float:
        start = time.perf_counter()
        assert getattr(nrt, function)(*arguments) == 0, nrt.neuron_sim_last_error()
        return time.perf_counter() - start

    for _ in range(rounds):
        model, total, timeline = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.POINTER(_Timeline)()
        timed("nrt_load", neff, ctypes.c_size_t(len(neff)), -1, -1, ctypes.byref(model))
        simulated.append(timed("neuron_sim_predicted_time_ps", model, ctypes.byref(total)))
        listed.append(timed("neuron_sim_timeline", model, ctypes.byref(timeline)))
        events = timeline.contents.num_events
        nrt.neuron_sim_timeline_free(timeline)
        timed("nrt_unload", model)
    return statistics.median(simulated), statistics.median(listed), events, total.value * 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs=2, default=[12, 48])
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    results = [seconds(compiled_neff(layers, options.tokens), options.rounds) for layers in options.layers]
    for layers, (simulated, listed, events, total) in zip(options.layers, results):
        print(
            f"{layers:3} layers: {simulated:.3f} s to simulate, {listed:.3f} s with a list of {events:,} events; "
            f"{total:,.0f} us predicted"
        )
    print(f"ratio: {results[1][0] / results[0][0]:.2f} to simulate, {results[1][1] / results[0][1]:.2f} with the list")


if __name__ == "__main__":
    main()

"""RMSNorm written out, compiled: one NEFF, one dispatch."""

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

x = torch.randn(4, 512, dtype=torch.bfloat16, device="neuron")
weight = torch.ones(512, dtype=torch.bfloat16, device="neuron")


@torch.compile(backend="neuron", fullgraph=True)
def rms_norm(x, weight, eps=1e-6):
    variance = (x * x).mean(-1, keepdim=True)
    rms = torch.rsqrt(variance + eps)
    return x * rms * weight


config = NeuronConfig(
    modes=[ProfileMode.DEVICE, ProfileMode.RUNTIME],
    capture_enabled_for_nc="0",
    profile_output_dir="profile_compiled",
    correlate_device_time=True,
)
exporter = NeuronProfiler(config)

with profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
    experimental_config=config,
    schedule=schedule(wait=2, warmup=1, active=1),
    on_trace_ready=exporter.export_trace,
) as prof:
    for _ in range(4):
        rms_norm(x, weight)
        torch.neuron.synchronize()
        prof.step()

print(prof.key_averages().table(sort_by="self_privateuse1_time_total", row_limit=12))

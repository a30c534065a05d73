"""torch.rms_norm, in eager: one dispatch."""

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

x = torch.randn(4, 512, dtype=torch.bfloat16, device="neuron")
weight = torch.ones(512, dtype=torch.bfloat16, device="neuron")

config = NeuronConfig(
    modes=[ProfileMode.DEVICE, ProfileMode.RUNTIME],
    capture_enabled_for_nc="0",
    profile_output_dir="profile_fused",
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
        torch.rms_norm(x, (512,), weight, 1e-6)
        torch.neuron.synchronize()
        prof.step()

print(prof.key_averages().table(sort_by="self_privateuse1_time_total", row_limit=12))

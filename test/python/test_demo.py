"""The first part of ./dev demo: RMSNorm step by step, its friends, and a table of digits."""

import subprocess
import sys


def test_demo():
    done = subprocess.run([sys.executable, "-m", "torch_neuronx.demo"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "NEFFs made: 1" in done.stdout

"""Training to a known quality: networks that read scikit-learn's digits, on the device and on CPU tensors."""

import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import pytest
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
import neuron_testing as nt  # noqa: E402, F401  (sets the number of threads)

datasets = pytest.importorskip("sklearn.datasets")


def digits():
    """1797 images of 8x8: (train images, labels, test images, labels), the test set every fifth."""
    table = datasets.load_digits()
    images = torch.from_numpy(table.data).float().view(-1, 1, 8, 8) / 16
    labels = torch.from_numpy(table.target).long()
    test = torch.arange(len(labels)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]


def mlp():
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.LayerNorm(96), torch.nn.Linear(96, 10)
    )


def cnn():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3, padding=1),
        torch.nn.BatchNorm2d(16),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3, padding=1),
        torch.nn.GELU(),
        torch.nn.Flatten(),
        torch.nn.Dropout(0.1),
        torch.nn.Linear(512, 10),
    )


def train(make, device, compiled, epochs, batch=64):
    """(losses of the epochs, test accuracy)."""
    torch.manual_seed(0)
    images, labels, test_images, test_labels = digits()
    network = make().to(device)
    images, labels = images.to(device), labels.to(device)
    run = torch.compile(network, backend="neuron", fullgraph=True, dynamic=False) if compiled else network
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(epochs):
        order = torch.randperm(len(labels), generator=generator).to(device)
        total = 0.0
        for begin in range(0, len(labels) - batch + 1, batch):
            chosen = order[begin : begin + batch]
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(run(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            total = total + loss.detach()
        losses.append(float(total) / (len(labels) // batch))
    network.eval()
    with torch.no_grad():
        guess = network(test_images.to(device)).argmax(1).cpu()
    return losses, (guess == test_labels).float().mean().item()


@pytest.mark.parametrize(("make", "epochs"), [(mlp, 12), (cnn, 5)], ids=["mlp", "cnn"])
@pytest.mark.parametrize(
    ("device", "compiled"),
    [("neuron", False), ("neuron", True), ("cpu", True)],
    ids=["eager on the device", "compiled on the device", "compiled on the CPU"],
)
def test_digits(make, epochs, device, compiled):
    losses, accuracy = train(make, device, compiled, epochs)
    expected, _ = train(make, "cpu", False, epochs)
    assert accuracy >= 0.97, losses
    # The same batches and start; dropout draws other numbers, and roundings grow with the steps.
    assert losses[-1] < expected[-1] * 1.5 + 0.02
    assert losses[0] == pytest.approx(expected[0], rel=0.1)


def test_gpt_overfits_a_text():
    """With the shared weights of GPT-2's shape: the losses are those of eager on the CPU, step by step."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        n_layer=4,
        n_embd=64,
        n_head=4,
        vocab_size=64,
        n_positions=64,
        bos_token_id=0,
        eos_token_id=0,
        attn_pdrop=0,
        resid_pdrop=0,
        embd_pdrop=0,
        use_cache=False,
    )
    torch.manual_seed(0)
    text = torch.randint(0, 64, (4, 33))

    def losses(device, compiled):
        torch.manual_seed(0)
        network = transformers.GPT2LMHeadModel(config).to(device)
        run = torch.compile(network, backend="neuron", fullgraph=True) if compiled else network
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
        here, found = text.to(device), []
        for _ in range(60):
            optimizer.zero_grad()
            logits = run(here[:, :-1]).logits
            loss = torch.nn.functional.cross_entropy(logits.reshape(-1, 64), here[:, 1:].reshape(-1))
            loss.backward()
            optimizer.step()
            found.append(loss.detach())
        return torch.stack(found).cpu()

    expected, result = losses("cpu", False), losses("neuron", True)
    assert result[-1] < 0.1
    torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-4)

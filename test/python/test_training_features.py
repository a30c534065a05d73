"""What training scripts do: compiled optimizers, checkpointing, mixed precision, torch.func, hooks, statistics.

On CPU tensors and on the device; what is expected is eager's on the CPU.
"""

import copy
import functools
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

DEVICES = ("cpu", "neuron")
pytestmark = pytest.mark.parametrize("device", DEVICES)
compile_neuron = functools.partial(torch.compile, backend="neuron", fullgraph=True)


def values(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def model(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))


def close(got, want, **tolerance):
    torch.testing.assert_close(
        [t.detach().cpu() for t in got], [t.detach() for t in want], **(tolerance or {"rtol": 2e-5, "atol": 2e-6})
    )


def gradients(module):
    return [p.grad for p in module.parameters()]


OPTIMIZERS = {
    "Adam": (torch.optim.Adam, {}),
    "Adam amsgrad": (torch.optim.Adam, {"amsgrad": True, "weight_decay": 0.1}),
    "Adam fused": (torch.optim.Adam, {"fused": True}),
    "Adam without foreach": (torch.optim.Adam, {"foreach": False}),
    "AdamW": (torch.optim.AdamW, {"weight_decay": 0.1}),
    "AdamW fused": (torch.optim.AdamW, {"fused": True}),
    "SGD": (torch.optim.SGD, {}),
    "SGD momentum": (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
    "SGD nesterov": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "SGD fused": (torch.optim.SGD, {"momentum": 0.9, "fused": True}),
    "RMSprop": (torch.optim.RMSprop, {"momentum": 0.5, "centered": True}),
    "Adagrad": (torch.optim.Adagrad, {}),
    "Adagrad fused": (torch.optim.Adagrad, {"fused": True}),
    "Adadelta": (torch.optim.Adadelta, {}),
    "Adamax": (torch.optim.Adamax, {}),
    "NAdam": (torch.optim.NAdam, {}),
    "RAdam": (torch.optim.RAdam, {}),
    "ASGD": (torch.optim.ASGD, {}),
    "Rprop": (torch.optim.Rprop, {}),
    "Adafactor": (torch.optim.Adafactor, {}),
    "Muon": (torch.optim.Muon, {}),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_compiled_optimizer(name, device):
    kind, options = OPTIMIZERS[name]
    reference, trained = model(), model().to(device)

    def parameters(module):
        return [p for p in module.parameters() if p.ndim == 2 or name != "Muon"]

    expected = kind(parameters(reference), lr=1e-2, **options)
    optimizer = kind(parameters(trained), lr=1e-2, **options)
    step = torch.compile(optimizer.step, backend="neuron")
    for number in range(3):
        x = values(5, 8, seed=number)
        for m, o, s, data in ((reference, expected, expected.step, x), (trained, optimizer, step, x.to(device))):
            o.zero_grad()
            m(data).square().mean().backward()
            s()
    # Muon iterates in bfloat16.
    tolerance = {"rtol": 2e-2, "atol": 2e-3} if name == "Muon" else {"rtol": 1e-4, "atol": 1e-5}
    close(trained.parameters(), reference.parameters(), **tolerance)


def test_lbfgs_says_that_it_cannot_be_one_graph(device):
    trained = model().to(device)
    optimizer = torch.optim.LBFGS(trained.parameters())

    def closure():
        optimizer.zero_grad()
        loss = trained(values(5, 8).to(device)).square().mean()
        loss.backward()
        return loss

    with pytest.raises(torch._dynamo.exc.TorchDynamoException):
        compile_neuron(optimizer.step)(closure)


def test_checkpoint_draws_the_same_numbers_again(device):
    def fn(x):
        return checkpoint(lambda x: F.dropout(x.sin(), 0.5).exp(), x, use_reentrant=False)

    compiled = compile_neuron(fn)
    x = values(400).to(device).requires_grad_()
    first, second = compiled(x), compiled(x)
    assert not torch.equal(first, second)
    # The later one is differentiated first.
    for y in (second, first):
        (grad,) = torch.autograd.grad(y.sum(), x)
        kept = y.detach() != 1
        assert 0.35 < kept.float().mean() < 0.65
        close([grad], [(y.detach() * 2 * x.detach().cos() * kept).cpu()])


DRAWS = {
    "rand": lambda x: torch.rand_like(x),
    "randn": lambda x: torch.randn_like(x),
    "normal": lambda x: torch.normal(x.detach(), 1.0),
    "bernoulli": lambda x: torch.bernoulli(torch.full_like(x, 0.5)),
    "exponential": lambda x: torch.empty_like(x).exponential_(),
    "uniform": lambda x: torch.empty_like(x).uniform_(-1, 1),
    "randint": lambda x: torch.randint(0, 9, x.shape, device=x.device).to(x.dtype),
    "randperm": lambda x: torch.randperm(x.shape[0], device=x.device).to(x.dtype),
}


@pytest.mark.parametrize("second", DRAWS)
@pytest.mark.parametrize("first", ["rand", "randn"])
def test_several_draws_in_a_checkpoint(first, second, device):
    """Of a product of draws and the input, the gradient is the draws themselves."""

    def part(x):
        a, b, c = DRAWS[first](x), DRAWS[second](x), torch.rand_like(x)
        return (x * a).sin() + (x * b).sin() + (x * c).sin(), a, b, c

    x = values(50).to(device).requires_grad_()
    y, *draws = compile_neuron(lambda x: checkpoint(part, x, use_reentrant=False))(x)
    assert not torch.equal(draws[0], draws[2])
    (grad,) = torch.autograd.grad(y.sum(), x)
    close([grad], [sum(d * (x * d).cos() for d in draws).detach().cpu()])


def test_checkpointed_layers_with_dropout(device):
    """A network of such layers, whose masks are read from what it gives: eager's gradients with these masks."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(8, 8).to(device) for _ in range(2)]

    def fn(x):
        ones = torch.ones_like(x)
        masks = []
        for layer in layers:

            def part(x, layer=layer):
                mask = F.dropout(ones, 0.25)
                return F.gelu(layer(x)) * mask, mask

            x, mask = checkpoint(part, x, use_reentrant=False)
            masks.append(mask)
        return x, masks

    x = values(6, 8).to(device).requires_grad_()
    y, masks = compile_neuron(fn)(x)
    (grad,) = torch.autograd.grad(y.square().sum(), x)
    reference = x.detach().cpu().requires_grad_()
    z = reference
    for layer, mask in zip(layers, masks, strict=True):
        z = F.gelu(F.linear(z, layer.weight.detach().cpu(), layer.bias.detach().cpu())) * mask.detach().cpu()
    (want,) = torch.autograd.grad(z.square().sum(), reference)
    close([y, grad], [z, want])


def test_gradients_accumulate_and_are_clipped(device):
    reference, trained = model(), model().to(device)
    compiled = compile_neuron(trained)
    for seed in range(3):
        x = values(5, 8, seed=seed)
        reference(x).square().mean().backward()
        compiled(x.to(device)).square().mean().backward()
    close(gradients(trained), gradients(reference))
    norms = [torch.nn.utils.clip_grad_norm_(m.parameters(), 0.1) for m in (trained, reference)]
    close(norms[:1], norms[1:])
    close(gradients(trained), gradients(reference))


def test_clipping_in_the_compiled_step(device):
    reference, trained = model(), model().to(device)

    def clip(grads):
        norm = torch.nn.utils.get_total_norm(grads)
        return [g * (0.1 / (norm + 1e-6)).clamp(max=1.0) for g in grads]

    for m in (reference, trained):
        m(values(5, 8).to(next(m.parameters()).device)).square().mean().backward()
    close(compile_neuron(clip)(gradients(trained)), clip(gradients(reference)))


def test_mixed_precision_with_a_gradient_scaler(device):
    reference, trained = model(), model().to(device)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (reference, trained)]
    scaler = torch.amp.GradScaler(device, init_scale=1024.0)
    compiled = compile_neuron(trained)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = reference(values(5, 8)).float().square().mean()
    loss.backward()
    optimizers[0].step()
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = compiled(values(5, 8).to(device)).float().square().mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scaler's own operations run on the CPU, and say so
        scaler.scale(loss).backward()
        scaler.step(optimizers[1])
        scaler.update()
    assert scaler.get_scale() == 1024.0
    close(trained.parameters(), reference.parameters(), rtol=2e-2, atol=5e-3)


def test_an_overflow_skips_the_step(device):
    trained = model().to(device)
    before = [p.detach().clone() for p in trained.parameters()]
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(device, init_scale=1024.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaler.scale(compile_neuron(trained)(values(5, 8).to(device) * 1e38).square().mean() * torch.inf).backward()
        scaler.step(optimizer)
        scaler.update()
    assert scaler.get_scale() == 512.0
    assert all(torch.equal(p, b) for p, b in zip(trained.parameters(), before, strict=True))


def scalar(x):
    return (x.sin() * x).sum() + x.prod()


FUNCTIONS = {
    "grad": lambda x: torch.func.grad(scalar)(x[0]),
    "vmap of grad": lambda x: torch.func.vmap(torch.func.grad(scalar))(x),
    "jvp": lambda x: torch.func.jvp(lambda t: t.sin() * t, (x,), (x.cos(),)),
    "vjp": lambda x: torch.func.vjp(lambda t: t.sin() * t, x)[1](x.cos())[0],
    "jacrev": lambda x: torch.func.jacrev(lambda t: t.sin().cumsum(0))(x[0]),
    "jacfwd": lambda x: torch.func.jacfwd(lambda t: (t.sin() * t).outer(t))(x[0]),
    "hessian": lambda x: torch.func.hessian(scalar)(x[0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functional_transforms(name, device):
    x = values(3, 4)
    got, want = compile_neuron(FUNCTIONS[name])(x.to(device)), FUNCTIONS[name](x)
    close(*([t] if isinstance(t, torch.Tensor) else t for t in (got, want)))


def test_per_sample_gradients_of_a_module(device):
    reference, trained = model(), model().to(device)
    x, y = values(5, 8), values(5, 4, seed=1)

    def per_sample(parameters, module, x, y):
        def loss(parameters, x, y):
            return (torch.func.functional_call(module, parameters, (x[None],)) - y).square().mean()

        return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)

    def run(module, x, y, wrap):
        parameters = {name: p.detach() for name, p in module.named_parameters()}
        return list(wrap(lambda p, x, y: per_sample(p, module, x, y))(parameters, x, y).values())

    close(run(trained, x.to(device), y.to(device), compile_neuron), run(reference, x, y, lambda f: f))


def test_double_backward(device):
    """AOTAutograd has no second derivatives of a compiled function; inside one there are."""

    def penalty(x):
        (grad,) = torch.autograd.grad((x.sin() * x).sum(), x, create_graph=True)
        return grad.square().sum()

    def second(x):
        return torch.func.grad(lambda t: torch.func.grad(lambda s: (s.sin() * s).sum())(t).square().sum())(x)

    x = values(6).requires_grad_()
    (want,) = torch.autograd.grad(penalty(x), x)
    close([compile_neuron(second)(x.detach().to(device))], [want])
    there = x.detach().to(device).requires_grad_()
    y = compile_neuron(lambda x: (x.sin() * x).sum())(there)
    (grad,) = torch.autograd.grad(y, there, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        torch.autograd.grad(grad.sum(), there)


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.head = torch.nn.Embedding(11, 8), torch.nn.Linear(8, 11, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, index):
        return self.head(self.embedding(index).tanh())


def test_tied_weights(device):
    reference, trained = Tied(), Tied().to(device)
    assert trained.head.weight is trained.embedding.weight
    index = torch.tensor([[1, 2, 3], [4, 1, 0]])
    F.cross_entropy(reference(index).flatten(0, 1), index.flatten()).backward()
    F.cross_entropy(compile_neuron(trained)(index.to(device)).flatten(0, 1), index.flatten().to(device)).backward()
    assert len(list(trained.parameters())) == 1
    close(gradients(trained), gradients(reference))


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.calls += 1
        self.mean.lerp_(x.mean(0), 0.1)
        return x - self.mean


def test_buffers_in_place(device):
    reference, trained = Counting(), Counting().to(device)
    compiled, buffers = compile_neuron(trained), [id(b) for b in trained.buffers()]
    for seed in range(3):
        close([compiled(values(5, 4, seed=seed).to(device))], [reference(values(5, 4, seed=seed))])
    close(trained.buffers(), reference.buffers())
    assert [id(b) for b in trained.buffers()] == buffers and int(trained.calls) == 3


def test_statistics_of_batch_norm(device):
    torch.manual_seed(0)
    reference = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    trained = copy.deepcopy(reference).to(device)
    compiled = compile_neuron(trained)
    for seed in range(2):
        x = values(2, 3, 6, 6, seed=seed)
        reference(x).square().sum().backward()
        compiled(x.to(device)).square().sum().backward()
    # With this loss the gradients cancel: of some hundreds, a few millionths remain.
    close(gradients(trained), gradients(reference), rtol=1e-3, atol=1e-3)
    close(trained.buffers(), reference.buffers())
    reference.eval(), trained.eval()
    close([compiled(x.to(device))], [reference(x)])
    close(trained.buffers(), reference.buffers())


def test_hooks(device):
    def hooked(seen):
        module = model()
        module[0].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
        module[1].register_forward_hook(lambda m, args, out: out + 1)
        module[2].weight.register_hook(lambda grad: grad * 3)
        module[2].weight.register_post_accumulate_grad_hook(lambda p: seen.append(tuple(p.grad.shape)))
        return module

    seen = {"reference": [], "trained": []}
    # Hooks of parameters stay when these are moved.
    reference, trained = hooked(seen["reference"]), hooked(seen["trained"]).to(device)
    compiled = compile_neuron(trained)
    reference(values(5, 8)).square().mean().backward()
    compiled(values(5, 8).to(device)).square().mean().backward()
    close(gradients(trained), gradients(reference))
    assert seen["trained"] == seen["reference"] == [(4, 16)]


def test_hooks_on_tensors_within_a_graph(device):
    def fn(x):
        y = x.sin()
        y.register_hook(lambda grad: grad * 10)
        return (y * x).sum()

    x, there = values(6).requires_grad_(), values(6).to(device).requires_grad_()
    fn(x).backward()
    compile_neuron(fn)(there).backward()
    close([there.grad], [x.grad])


def test_backward_hooks_of_modules(device):
    def hooked(seen):
        module = model()
        module[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,))
        return module

    reference, trained = hooked([]), hooked([]).to(device)
    reference(values(5, 8)).square().mean().backward()
    torch.compile(trained, backend="neuron")(values(5, 8).to(device)).square().mean().backward()
    close(gradients(trained), gradients(reference))

"""Fourier transforms: beside complex128, with eager's own error as the measure; every function, size, norm and gradient."""

import neuron_testing as nt  # before torch: sets the number of threads
import pytest
import torch
from test_complex import neuron, numbers, run

F = torch.fft


def reals(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# One product, two, three; primes as a product and as a convolution; and both together.
LENGTHS = [1, 2, 3, 7, 16, 61, 64, 65, 96, 127, 131, 262, 512, 1000, 4096]


def _relative(got, exact):
    return ((got.to(exact.dtype) - exact).norm() / exact.norm()).item() * 2**24


@pytest.mark.parametrize("n", LENGTHS)
def test_error_beside_eagers(n):
    """Eager's mean error is up to 3.5 units of 2^-24 at these lengths; a sum of 64 products has its own, about 2.5."""
    z = numbers(4, n)
    pairs = zip(
        run(lambda z: (F.fft(z), F.ifft(z), F.irfft(z, n)), z), (F.fft(z), F.ifft(z), F.irfft(z, n)), strict=True
    )
    exact = z.to(torch.complex128)
    for (got, eager), wide in zip(pairs, (F.fft(exact), F.ifft(exact), F.irfft(exact, n)), strict=True):
        assert got.dtype == eager.dtype and got.shape == eager.shape
        assert _relative(got, wide) <= 2 * _relative(eager, wide) + 1, n


@pytest.mark.parametrize("n", [7, 64, 96, 131])
def test_complex128(n):
    z = numbers(2, n, dtype=torch.complex128)
    for got, exact in zip(run(lambda z: (F.fft(z), F.rfft(z.real)), z), (F.fft(z), F.rfft(z.real)), strict=True):
        assert ((got - exact).norm() / exact.norm()).item() < 16 * torch.finfo(torch.float64).eps


Z, R, S, W = numbers(3, 12), reals(3, 10), reals(2, 64), torch.hann_window(16)
FUNCTIONS = {
    "norms": lambda: (
        F.fft(Z, norm="ortho"),
        F.fft(Z, norm="forward"),
        F.ifft(Z, norm="forward"),
        F.rfft(R, norm="ortho"),
    ),
    "sizes": lambda: (F.fft(Z, n=7), F.fft(Z, n=15, dim=0), F.irfft(Z, n=9), F.rfft(R, n=5), F.hfft(Z, n=6)),
    "two": lambda: (F.fft2(Z), F.ifft2(Z, norm="ortho"), F.rfft2(R), F.irfft2(Z, s=(3, 21))),
    "many": lambda: (F.fftn(Z, s=(2, 6)), F.ifftn(Z), F.rfftn(R, dim=(1, 0)), F.irfftn(Z, dim=(1, 0))),
    "hermitian": lambda: (F.hfft(Z), F.ihfft(R), F.hfft2(Z), F.ihfft2(R), F.hfftn(Z), F.ihfftn(R)),
    "of other dtypes": lambda: (F.fft(R), F.fft(torch.arange(8)), F.rfft(R.double()), F.ifft(R > 0)),
    "shifts": lambda: (F.fftshift(Z), F.ifftshift(Z, 1), F.fftfreq(9) + 0, F.rfftfreq(8) + 0),
    "convolution": lambda: F.irfft(F.rfft(R) * F.rfft(R.flip(1)), 10),
    "spectrum": lambda: torch.stft(S, 16, 4, window=W, return_complex=True),
    "two-sided": lambda: torch.stft(S, 16, window=W, onesided=False, normalized=True, return_complex=True),
    "back": lambda: torch.istft(torch.stft(S, 16, window=W, return_complex=True), 16, window=W),
    "conjugated": lambda: (F.fft(Z.conj()), F.fft(Z.mT).conj(), F.irfft(Z.conj())),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    outcome = nt.compare_with_eager(lambda z, r, s, w: FUNCTIONS[name](), (Z, R, S, W))
    assert outcome.status in (nt.RIGHT, nt.HOST), outcome.detail


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fft2", "rfftn", "irfftn", "hfft", "ihfft"])
def test_outputs_lie_as_eagers(name):
    x = R if name in ("rfft", "rfftn", "ihfft") else Z
    got, expected = neuron(getattr(F, name))(x), getattr(F, name)(x)
    assert got.stride() == expected.stride() and got.storage_offset() == 0


GRADIENTS = {
    "fft": (lambda z: F.fft(z), Z),
    "ifft": (lambda z: F.ifft(z, n=9, norm="ortho"), Z),
    "rfft": (lambda r: F.rfft(r), R),
    "irfft": (lambda z: F.irfft(z, n=11), Z),
    "fft2": (lambda z: F.fft2(z), Z),
    "rfftn": (lambda r: F.rfftn(r), R),
    "irfftn": (lambda z: F.irfftn(z), Z),
    "hfft": (lambda z: F.hfft(z), Z),
    "bluestein": (lambda z: F.fft(z), numbers(2, 131)),
    # A batch of one, padded by reflection: its backward sees parts of complex numbers as real ones in a row.
    "stft of a row": (lambda s: torch.stft(s[0], 10, return_complex=True), S),
    "stft": (lambda s: torch.stft(s, 16, window=W.to(s.dtype), return_complex=True), S),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    fn, x = GRADIENTS[name]

    def loss(x):
        value = fn(x)
        return (value.abs() ** 2).sum() + (value.real if value.is_complex() else value).sum()

    wide = x.to(torch.complex128 if x.is_complex() else torch.float64).requires_grad_()
    x = x.clone().requires_grad_()
    neuron(loss)(x).backward()
    loss(wide).backward()
    error = (x.grad - wide.grad).norm() / wide.grad.norm()
    assert error.item() < 20 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_refused_as_in_eager(dtype):
    x = R.to(dtype)
    with pytest.raises(RuntimeError, match="Unsupported dtype"):
        F.rfft(x)
    with pytest.raises(Exception, match="Unsupported dtype"):
        neuron(F.rfft)(x)


def test_device_tensors():
    got = neuron(lambda z: F.fft(z).abs())(numbers(2, 96).to("neuron"))
    assert got.device.type == "neuron"
    torch.testing.assert_close(got.cpu(), F.fft(numbers(2, 96)).abs(), rtol=1e-5, atol=1e-5)

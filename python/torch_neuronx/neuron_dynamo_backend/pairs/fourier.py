"""Rules of discrete Fourier transforms.

A short transform is a product with its matrix; a long one whose length has divisors is two shorter ones, with factors
of modulus 1 between them (Cooley and Tukey); one whose length is a large prime is a convolution of a length that has
divisors (Bluestein). All constants are computed in float64 and rounded once. Each level of the recursion adds the error
of a sum of at most `_DIRECT` products, so the error grows with the logarithm of the length.
"""

import functools
import math

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing

from .pair import Pair

aten = torch.ops.aten

# The longest transform that is one product: what one instruction of the Tensor engine contracts is 128.
_DIRECT = 64
_LONGEST_PRIME = 128


def _constant(make):
    """A real constant of the graph; `make` returns float64 on the CPU."""

    @functools.wraps(make)
    def made(*args, dtype, device):
        with disable_proxy_modes_tracing(), unset_fake_temporarily():
            value = make(*args).to(dtype)
        return value if device.type == "cpu" else value.to(device)  # in the graph, which holds it as of the CPU

    return made


def _angles(product, n, sign):
    """2 pi product / n, of integers; reduced first, so that large ones lose nothing."""
    return (product % n).double() * (sign * 2 * math.pi / n)


@_constant
def _matrix(n, kept, wanted, sign, imaginary):
    """[n, parts * kept]: what a real part, or an imaginary part, gives to the `wanted` parts ("re", "im") of the
    first `kept` numbers of the transform."""
    angle = _angles(torch.outer(torch.arange(n), torch.arange(kept)), n, sign)
    parts = (
        {"re": -torch.sin(angle), "im": torch.cos(angle)}
        if imaginary
        else {"re": torch.cos(angle), "im": torch.sin(angle)}
    )
    return torch.cat([parts[part] for part in wanted], 1)


@_constant
def _twiddles(n1, n2, sign, imaginary):
    """[n1, n2]: exp(sign 2 pi i k1 j2 / (n1 n2)), or its imaginary part."""
    angle = _angles(torch.outer(torch.arange(n1), torch.arange(n2)), n1 * n2, sign)
    return torch.sin(angle) if imaginary else torch.cos(angle)


@_constant
def _chirp(n, sign, imaginary):
    """[n]: exp(sign pi i k^2 / n)"""
    k = torch.arange(n)
    angle = _angles(k * k, 2 * n, sign)
    return torch.sin(angle) if imaginary else torch.cos(angle)


@_constant
def _chirp_spectrum(n, m, sign, imaginary):
    """[m]: the transform of the chirp that Bluestein's algorithm convolves with."""
    k = torch.arange(n)
    angle = _angles(k * k, 2 * n, -sign)
    chirp = torch.polar(torch.ones_like(angle), angle)
    padded = torch.zeros(m, dtype=torch.complex128)
    padded[:n] = chirp
    padded[m - n + 1 :] = chirp[1:].flip(0)
    spectrum = torch.fft.fft(padded)
    return spectrum.imag if imaginary else spectrum.real


def _number(make, *args, dtype, device):
    return Pair(*(make(*args, imaginary, dtype=dtype, device=device) for imaginary in (False, True)))


def _divisor(n):
    """The largest divisor that is short enough for one product, and leaves a short rest if any does."""
    short = [d for d in range(2, _DIRECT + 1) if n % d == 0]
    whole = [d for d in short if n // d <= _DIRECT]
    # The squarest, as it is the least work.
    return min(whole) if whole else max(short, default=None)


def _rows(x):
    """x, as the rows of a matrix."""
    return x.reshape(-1, x.shape[-1])


_BOTH = ("re", "im")


def _direct(re, im, sign, wanted=_BOTH, kept=None):
    """A product with the matrix of the transform; im is None for real numbers. What is not wanted is None."""
    n = re.shape[-1]
    kept = n if kept is None else kept
    shape = [*re.shape[:-1], kept]
    if n == 1:
        return re, torch.zeros_like(re) if im is None else im
    settings = {"dtype": re.dtype, "device": re.device}
    parts = aten.mm(_rows(re), _matrix(n, kept, wanted, sign, False, **settings))
    if im is not None:
        parts = parts + aten.mm(_rows(im), _matrix(n, kept, wanted, sign, True, **settings))
    if wanted != _BOTH:
        return parts.reshape(shape), None
    return parts[:, :kept].reshape(shape), parts[:, kept:].reshape(shape)


def _is_direct(n):
    return n <= _DIRECT or (n <= _LONGEST_PRIME and _divisor(n) is None)


def _transform(re, im, sign, wanted=_BOTH):
    """Along the last dimension. (None, where the imaginary part is not wanted.)"""
    n, shape = re.shape[-1], re.shape
    if _is_direct(n):
        return _direct(re, im, sign, wanted)
    n1 = _divisor(n)
    if n1 is None:
        return _bluestein(re, im, sign)
    n2 = n // n1

    def turned(part):  # [.., n1, n2] to [rows, n2, n1]
        return None if part is None else part.reshape(-1, n1, n2).transpose(1, 2)

    re, im = _direct(turned(re), turned(im), sign)  # [rows, j2, k1]
    turn = _number(_twiddles, n2, n1, sign, dtype=re.dtype, device=re.device)
    x = Pair(re, im) * turn
    parts = _transform(x.re.transpose(1, 2), x.im.transpose(1, 2), sign, wanted)  # [rows, k1, k2]
    return tuple(None if part is None else part.transpose(1, 2).reshape(shape) for part in parts)


def _bluestein(re, im, sign):
    """k j = (k^2 + j^2 - (k - j)^2) / 2 makes a convolution of the transform, whose length is free."""
    n = re.shape[-1]
    m = 1 << (2 * n - 2).bit_length()
    settings = {"dtype": re.dtype, "device": re.device}
    chirp = _number(_chirp, n, sign, **settings)
    x = Pair(re * chirp.re, re * chirp.im) if im is None else Pair(re, im) * chirp
    padded = x.map(lambda part: aten.constant_pad_nd(part, [0, m - n]))
    spectrum = Pair(*_transform(padded.re, padded.im, -1)) * _number(_chirp_spectrum, n, m, sign, **settings)
    result = Pair(*_transform(spectrum.re, spectrum.im, 1)).map(lambda part: part[..., :n] * (1 / m))
    result = result * chirp
    return result.re, result.im


def _along(x, dim, sign):
    """The transform of a Pair, or of a real tensor, along `dim`."""
    re, im = (x.re, x.im) if isinstance(x, Pair) else (x, None)
    if re.numel() == 0:
        return x if isinstance(x, Pair) else Pair(re, torch.zeros_like(re))
    im = None if im is None else im.movedim(dim, -1)
    re, im = _transform(re.movedim(dim, -1), im, sign)
    return Pair(re.movedim(-1, dim), im.movedim(-1, dim))


def _scaled(x, lengths, normalization):
    """As at::native::fft_norm_mode: 0 none, 1 by the root of the number of elements, 2 by the number."""
    count = math.prod(lengths)
    if normalization == 0 or count == 0:
        return x
    factor = 1 / math.sqrt(count) if normalization == 1 else 1 / count
    return x.map(lambda part: part * factor) if isinstance(x, Pair) else x * factor


def c2c(x, dims, normalization, forward):
    lengths = [x.shape[dim] for dim in dims]
    for dim in dims:
        x = _along(x, dim, -1 if forward else 1)
    return _scaled(Pair(x.re, x.im), lengths, normalization)


def r2c(x, dims, normalization, onesided):
    """The last of `dims` is where x is real, and where a half is enough."""
    lengths = [x.shape[dim] for dim in dims]
    last, n = dims[-1], x.shape[dims[-1]]
    kept = n // 2 + 1 if onesided else n
    if _is_direct(n) and x.numel():
        parts = _direct(x.movedim(last, -1), None, -1, kept=kept)
        result = Pair(*(part.movedim(-1, last) for part in parts))
    else:
        result = _along(x, last, -1).map(lambda part: part.narrow(last, 0, kept))
    for dim in reversed(dims[:-1]):
        result = _along(result, dim, -1)
    return _scaled(result, lengths, normalization)


def c2r(x, dims, normalization, size):
    """From half a spectrum, whose other half is its conjugate. Of the first number, and of the last where `size` is
    even, the imaginary part does not matter."""
    last = dims[-1] % x.ndim
    for dim in dims[:-1]:
        x = _along(x, dim, 1)
    half = size // 2 + 1
    if x.shape[last] < half:
        return NotImplemented
    x = x.map(lambda part: part.narrow(last, 0, half))
    rest = x.map(lambda part: part.narrow(last, 1, size - half).flip(last))
    full = Pair(torch.cat([x.re, rest.re], last), torch.cat([x.im, -rest.im], last))
    lengths = [x.shape[dim] for dim in dims[:-1]] + [size]
    if full.re.numel() == 0:
        return full.re
    real, _ = _transform(full.re.movedim(last, -1), full.im.movedim(last, -1), 1, ("re",))
    return _scaled(real.movedim(-1, last), lengths, normalization)


TABLE = {aten._fft_c2c: c2c, aten._fft_r2c: r2c, aten._fft_c2r: c2r}

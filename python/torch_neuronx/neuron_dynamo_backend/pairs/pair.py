"""A complex tensor as two real ones."""

import torch

REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}
COMPLEX = {real: dtype for dtype, real in REAL.items()}


class Pair:
    """A complex tensor as the tensors of its real and its imaginary part, or as its memory: a real tensor with a last
    dimension of 2, as torch.view_as_real has it.

    What comes as memory is split when its parts are asked for. `conjugated`: the memory holds the conjugate.
    """

    def __init__(self, re=None, im=None, *, memory=None, conjugated=False):
        self._re, self._im, self.memory, self.conjugated = re, im, memory, conjugated

    @property
    def re(self):
        if self._re is None:
            self._re = self.memory.select(-1, 0)
        return self._re

    @property
    def im(self):
        if self._im is None:
            im = self.memory.select(-1, 1)
            self._im = -im if self.conjugated else im
        return self._im

    @property
    def is_split(self):
        return self._re is not None or self._im is not None

    @property
    def shape(self):
        return self.memory.shape[:-1] if self._re is None else self._re.shape

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def real_dtype(self):
        return (self.memory if self._re is None else self._re).dtype

    @property
    def dtype(self):
        return COMPLEX[self.real_dtype]

    @property
    def device(self):
        return (self.memory if self._re is None else self._re).device

    def to(self, dtype):
        """In another complex dtype."""
        real = REAL[dtype]
        return self if real == self.real_dtype else Pair(self.re.to(real), self.im.to(real))

    def map(self, function):
        """`function` of the real part and of the imaginary part."""
        return Pair(function(self.re), function(self.im))

    def __neg__(self):
        return Pair(-self.re, -self.im)

    def __add__(self, other):
        return Pair(self.re + other.re, self.im + other.im)

    def __sub__(self, other):
        return Pair(self.re - other.re, self.im - other.im)

    def __mul__(self, other):
        """As eager: four products, each rounded, and no second look at infinities."""
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def conj(self):
        return Pair(self.re, -self.im)

    def times_i(self):
        return Pair(-self.im, self.re)

    def over_i(self):
        return Pair(self.im, -self.re)


def parts_of(value, like=None):
    """The Pair of a Pair, a real tensor or a number; numbers become tensors of `like`'s device and dtype."""
    if isinstance(value, Pair):
        return value
    if isinstance(value, torch.Tensor):
        if value.dtype not in COMPLEX:
            value = value.to(like.real_dtype if like is not None else torch.get_default_dtype())
        return Pair(value, torch.zeros_like(value))

    def number(x):
        return torch.full((), float(x), dtype=like.real_dtype, device=like.device)

    return Pair(number(value.real), number(value.imag))


def interleave(pair, strides=None):
    """The memory of a Pair that has only parts; `strides` of the complex tensor say how its dimensions lie."""
    order = list(range(pair.ndim))
    if strides is not None:
        order.sort(key=lambda dim: -strides[dim])
    back = [order.index(dim) for dim in range(pair.ndim)]
    halves = [part.expand(pair.shape).permute(order).unsqueeze(-1) for part in (pair.re, pair.im)]
    return torch.cat(halves, -1).permute([*back, pair.ndim])

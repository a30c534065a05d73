"""Products, attention, convolutions, pools and reducing scatters of random programs; what Generator is mixed with.

Each method takes the name of a value and returns (text, operands, whether PyTorch defines every bit), or None. What
comes before and behind such an operation makes prologues and epilogues of its kernel.
"""

from __future__ import annotations

import math

import torch

SMALL = (1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 33, 64, 130)
MOST = 6000  # elements of an operand that is made for a product
PRODUCTS = ("torch.matmul({0}, {1})",) * 3 + ("F.linear({0}, {1})", "F.linear({0}, {1}, {2})", "torch.matmul({1}, {0})")
GRAM = "torch.matmul({0}, {0}.transpose(-1, -2))"


class TensorOps:
    def multiplies(self, x):
        """Whether PyTorch multiplies matrices of its dtype here, and defines enough."""
        value = self.values[x]
        floating = value.is_floating_point() and self.mode != "exact"
        return value.dim() >= 1 and value.numel() and (floating or value.dtype in (torch.int64, torch.int32))

    def product(self, x):
        rng, value = self.rng, self.values[x]
        if not self.multiplies(x):
            return None
        exact, shape, dtype = not value.is_floating_point(), list(value.shape), value.dtype
        kind = rng.random()
        if kind < 0.15 and value.dim() >= 2 and shape[-2] <= 130:
            return GRAM, (x,), exact
        n = rng.choice([s for s in SMALL if s * shape[-1] <= MOST] or [1])
        if kind < 0.3 and value.dim() == 3:
            other = self.new_input((shape[0], shape[2], n), dtype)
            if rng.random() < 0.5:
                return "torch.bmm({0}, {1})", (x, other), exact
            added = self.new_input((shape[0], shape[1], n), dtype)
            return "torch.baddbmm({2}, {0}, {1})", (x, other, added), exact
        text = rng.choice(PRODUCTS)
        if "linear" in text:
            if value.dim() < 2:
                return None
            operands = (x, self.new_input((n, shape[-1]), dtype))
            return text, operands + ((self.new_input((n,), dtype),) if "{2}" in text else ()), exact
        if text.startswith("torch.matmul({1}"):
            if value.dim() < 2:
                return None
            return text, (x, self.new_input((n, shape[-2]), dtype)), exact
        batch = [] if rng.random() < 0.6 else [s if rng.random() < 0.5 else 1 for s in shape[:-2]]
        other = (*batch, shape[-1], n) if rng.random() < 0.9 else (shape[-1],)
        if math.prod(other) > 4 * MOST:
            return None
        return text, (x, self.new_input(other, dtype)), exact

    def attention(self, x):
        rng, value = self.rng, self.values[x]
        if not value.is_floating_point() or self.mode == "exact" or value.dtype == torch.float64:
            return None
        if value.dim() == 4 and value.numel() and value.shape[2] <= 130:
            q = x
        else:
            sizes = (
                rng.choice((1, 2)),
                rng.choice((1, 2, 3)),
                rng.choice((1, 3, 16, 33, 130)),
                rng.choice((1, 4, 8, 16)),
            )
            q = self.new_input(sizes, value.dtype)
        b, h, length, width = self.values[q].shape
        keys = length if rng.random() < 0.6 else rng.choice((1, 5, 16, 130))
        k = self.new_input((b, h, keys, width), value.dtype)
        v = self.new_input((b, h, keys, rng.choice((width, 3))), value.dtype)
        text, extra = "F.scaled_dot_product_attention({0}, {1}, {2}", ()
        kind = rng.random()
        if kind < 0.3:
            text += ", is_causal=True"
        elif kind < 0.5:
            text, extra = text + ", attn_mask={3}", (self.new_input((length, keys), value.dtype),)
        if rng.random() < 0.2:
            text += ", scale=0.3"
        return text + ")", (q, k, v, *extra), False

    def image(self, x, dims):
        """A value with `dims` dimensions behind images and channels: x if it is one, else a new input of its dtype."""
        value, rng = self.values[x], self.rng
        if value.dim() == dims + 2 and value.numel():
            return x
        sizes = [rng.choice((1, 2, 3)), rng.choice((1, 2, 4, 6)), *(rng.choice((1, 3, 5, 8, 9)) for _ in range(dims))]
        return self.new_input(tuple(sizes), value.dtype)

    def convolution(self, x):
        rng, value = self.rng, self.values[x]
        if not value.is_floating_point() or self.mode == "exact" or value.dtype == torch.float64:
            return None
        dims = rng.choice((1, 2, 2, 2, 3))
        x = self.image(x, dims)
        channels = self.values[x].shape[1]
        if channels > 64:
            return None
        groups = rng.choice([g for g in (1, 1, 1, 2, 3, channels) if channels % g == 0])
        outputs = groups * rng.choice((1, 2, 3))
        kernel = [rng.choice((1, 2, 3)) for _ in range(dims)]
        transposed = rng.random() < 0.25
        shape = (channels, outputs // groups, *kernel) if transposed else (outputs, channels // groups, *kernel)
        options = {"stride": rng.choice((1, 1, 2, 3)), "padding": rng.choice((0, 1)), "dilation": rng.choice((1, 1, 2))}
        options["groups"] = groups
        operands, bias = (x, self.new_input(shape, value.dtype)), ""
        if rng.random() < 0.4:
            operands, bias = (*operands, self.new_input((outputs,), value.dtype)), ", {2}"
        name = f"conv_transpose{dims}d" if transposed else f"conv{dims}d"
        return f"F.{name}({{0}}, {{1}}{bias}, {', '.join(f'{k}={v}' for k, v in options.items())})", operands, False

    def pooling(self, x):
        rng, value = self.rng, self.values[x]
        if not value.is_floating_point() or value.dtype == torch.float64:
            return None
        dims = rng.choice((1, 2, 2, 3))
        x = self.image(x, dims)
        size, stride = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
        if self.mode == "exact" or rng.random() < 0.4:
            which = rng.choice((")", ")", ", return_indices=True)[0]", ", return_indices=True)[1]"))
            return f"F.max_pool{dims}d({{0}}, {size}, {stride}, {size // 2}{which}", (x,), True
        if rng.random() < 0.4:
            return f"F.adaptive_avg_pool{dims}d({{0}}, {rng.choice((1, 2, 3))})", (x,), False
        count = rng.random() < 0.5 if size > 1 else True
        return f"F.avg_pool{dims}d({{0}}, {size}, {stride}, {size // 2}, False, {count})", (x,), False

    def scatter_reduce(self, x):
        rng, value = self.rng, self.values[x]
        if not value.dim() or not value.numel() or value.dtype == torch.bool:
            return None
        kind = rng.choice(("sum", "prod", "mean", "amax", "amin"))
        exact = kind in ("amax", "amin") or not value.is_floating_point()
        if not exact and self.mode == "exact":
            return None
        d, shape = rng.randrange(value.dim()), list(value.shape)
        below, shape[d] = shape[d], rng.choice((1, 3, shape[d], 130))
        index = self.new_input(tuple(shape), torch.int64)
        source = self.new_input(tuple(shape), value.dtype)
        text = f"torch.scatter_reduce({{0}}, {d}, {{1}} % {below}, {{2}}, {kind!r}, include_self={rng.random() < 0.6})"
        return text, (x, index, source), exact

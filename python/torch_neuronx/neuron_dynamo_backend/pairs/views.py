"""Views of complex tensors: of the memory, where there is one, else of both parts."""

import math

import torch

from .pair import REAL, Pair

aten = torch.ops.aten


def _joined(memory, re, im, conjugated):
    first = re if memory is None else memory
    if not isinstance(first, (list, tuple)):
        return Pair(re, im, memory=memory, conjugated=conjugated)
    columns = [[None] * len(first) if column is None else column for column in (memory, re, im)]
    return [_joined(*row, conjugated) for row in zip(*columns, strict=True)]


def _view(on_part, on_memory):
    """A rule from what a view does to a part, and to memory of a tensor of n dimensions."""

    def rule(x, *args, **kwargs):
        memory = re = im = None
        if x.memory is not None:
            memory = on_memory(x.memory, x.ndim, *args, **kwargs)
        if x.memory is None or x.is_split:
            re, im = on_part(x.re, *args, **kwargs), on_part(x.im, *args, **kwargs)
        return _joined(memory, re, im, x.conjugated)

    return rule


def _of_one_dim(op):
    """A view whose first argument after the tensor is a dimension."""
    return _view(op, lambda memory, n, dim=0, *args: op(memory, dim % n, *args))


def _sized(size, shape):
    """With -1 resolved, and the two halves."""
    known = math.prod(n for n in size if n != -1)
    return [n if n != -1 else math.prod(shape) // max(known, 1) for n in size] + [2]


def _squeezed(memory, n, dims=None):
    if dims is None:
        dims = range(n)
    return memory.squeeze([dim % n for dim in ([dims] if isinstance(dims, int) else dims)]) if n else memory


def _diagonal(memory, n, offset=0, dim1=0, dim2=1):
    return memory.diagonal(offset, dim1 % n, dim2 % n).movedim(-2, -1)


def _unfold(memory, n, dim, size, step):
    memory = memory if n else memory.unsqueeze(0)
    memory = memory.unfold(dim % max(n, 1), size, step).movedim(-2, -1)
    return memory if n else memory.squeeze(0)


def _strided(size, stride, offset=None):
    """The arguments for memory of what are those of a complex tensor."""
    return [*size, 2], [2 * step for step in stride] + [1], None if offset is None else 2 * offset


def as_strided(x, *where):
    """The rewriter gives memory to what is read by strides."""
    return Pair(memory=x.memory.as_strided(*_strided(*where)), conjugated=x.conjugated)


def as_strided_copy(x, *where):
    result = as_strided(x, *where)
    return Pair(result.re, result.im)


def as_strided_scatter(x, source, *where):
    from .pair import interleave

    source = interleave(source.conj() if x.conjugated else source)
    return Pair(memory=aten.as_strided_scatter(x.memory, source, *_strided(*where)), conjugated=x.conjugated)


def view_as_complex(x):
    return Pair(memory=x)


def view_dtype(x, dtype):
    """The same bytes as numbers of another dtype."""
    if isinstance(x, Pair):
        if dtype != x.real_dtype:
            return x if dtype == x.dtype else NotImplemented
        memory = memory_of(x)
        return memory.reshape([*x.shape[:-1], 2 * x.shape[-1]])
    if REAL[dtype] != x.dtype:
        return NotImplemented
    return Pair(memory=x.reshape([*x.shape[:-1], x.shape[-1] // 2, 2]))


def memory_of(x):
    """Memory that holds the number itself, not its conjugate."""
    from .pair import interleave

    return x.memory if x.memory is not None and not x.conjugated else interleave(x)


def conj(x):
    """The same memory, read otherwise."""
    re, im = (x.re, -x.im) if x.memory is None or x.is_split else (None, None)
    return Pair(re, im, memory=x.memory, conjugated=not x.conjugated)


BY_STRIDES = {aten.as_strided, aten.as_strided_copy, aten.as_strided_scatter}

TABLE = {
    aten.view: _view(torch.Tensor.reshape, lambda memory, n, size: memory.reshape(_sized(size, memory.shape[:-1]))),
    aten.permute: _view(aten.permute, lambda memory, n, dims: memory.permute([*(dim % n for dim in dims), n])),
    aten.transpose: _view(aten.transpose, lambda memory, n, a, b: memory.transpose(a % n, b % n) if n else memory),
    aten.t: _view(aten.t, lambda memory, n: memory.transpose(0, 1) if n == 2 else memory),
    aten.unsqueeze: _view(aten.unsqueeze, lambda memory, n, dim: memory.unsqueeze(dim % (n + 1))),
    aten.squeeze: _view(aten.squeeze, _squeezed),
    aten.expand: _view(aten.expand, lambda memory, n, size, implicit=False: memory.expand([*size, 2])),
    aten.select: _of_one_dim(aten.select),
    aten.slice: _of_one_dim(aten.slice),
    aten.unbind: _of_one_dim(aten.unbind),
    aten.split: _view(aten.split, lambda memory, n, size, dim=0: aten.split(memory, size, dim % n)),
    aten.split_with_sizes: _view(
        aten.split_with_sizes, lambda memory, n, sizes, dim=0: aten.split_with_sizes(memory, sizes, dim % n)
    ),
    aten.unfold: _view(aten.unfold, _unfold),
    aten.diagonal: _view(aten.diagonal, _diagonal),
    aten.as_strided: as_strided,
    aten.as_strided_copy: as_strided_copy,
    aten.as_strided_scatter: as_strided_scatter,
    aten.alias: lambda x: x,
    aten.detach: lambda x: x,
    aten._conj: conj,
    aten._neg_view: lambda x: -x,
    torch.ops.prims.view_of: lambda x: x,
    aten.view_as_complex: view_as_complex,
    aten.view_as_real: memory_of,
    aten.view.dtype: view_dtype,
}
# Of the shape of the result, not of the memory.
TABLE[aten._unsafe_view] = TABLE[aten._reshape_alias] = TABLE[aten.reshape] = TABLE[aten.view]

"""Products of more than two factors."""


def trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    """The sum over `sumdim` of i1 * i2 * i3, each with dimensions of size 1 at its `expand`."""
    del unroll_dim  # how eager goes about it
    factors = []
    for factor, expand in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for dim in expand:
            factor = factor.unsqueeze(dim)
        factors.append(factor)
    return (factors[0] * factors[1] * factors[2]).sum(list(sumdim), dtype=i1.dtype)

"""All rules."""

from . import elementwise, fourier, movement, products, reductions, views

RULES = {**elementwise.TABLE, **reductions.TABLE, **products.TABLE, **movement.TABLE, **views.TABLE, **fourier.TABLE}


def rule_of(target):
    """The rule of an overload, or None."""
    return RULES.get(target) or RULES.get(getattr(target, "overloadpacket", None))

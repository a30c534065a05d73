"""Complex numbers, as pairs of real ones.

The device has no complex numbers. A graph with complex tensors is traced once more, with every one of them a Pair of
real tensors, before it goes to the importer, which so sees real tensors alone:

    pair.py         what a Pair is
    rewrite.py      from a graph to one of real tensors; before it expand.py, and retrace.py for both
    boundary.py     complex inputs and outputs as views of real memory, at run time
    rules.py        how rules are written; one table each:
    elementwise.py, functions.py, trigonometry.py, reductions.py, products.py, movement.py, views.py, fourier.py
"""

from .boundary import Boundary
from .retrace import has_complex
from .rewrite import rewrite

__all__ = ["Boundary", "has_complex", "rewrite"]

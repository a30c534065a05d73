"""Graphs of one ATen overload, with arguments made from its schema."""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

INTEGER_OPS = ("bitwise", "shift", "gcd", "lcm")
# Arguments that the schema does not suggest: overload -> positional arguments.
SHAPE = (4, 6)


def float_tensor(seed=0, dtype=torch.float32, shape=SHAPE):
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator) * 1.8 - 0.9).to(dtype)


def integer_tensor(seed=0, dtype=torch.int32, shape=SHAPE, low=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, 7, shape, generator=generator, dtype=dtype)


def mask(shape=SHAPE):
    return torch.arange(torch.tensor(shape).prod().item()).reshape(shape) % 3 == 0


def places(shape=SHAPE, below=4):
    return integer_tensor(3, torch.int64, shape, 0) % below


SPECIAL = {
    "aten.embedding.default": lambda x: (x, places((2, 3))),
    "aten.index_select.default": lambda x: (x, 1, places((3,))),
    "aten.gather.default": lambda x: (x, 0, places()),
    "aten.index.Tensor": lambda x: (x, [places((3,)), None]),
    "aten._unsafe_index.Tensor": lambda x: (x, [None, places((3,))]),
    "aten.scatter.src": lambda x: (x, 0, torch.arange(6).reshape(1, 6) % 4, x + 1),
    "aten.scatter.value": lambda x: (x, 0, places(), 0.5),
    "aten.scatter.reduce": lambda x: (x, 0, places(), x + 1, {"reduce": "add"}),
    "aten.scatter.value_reduce": lambda x: (x, 0, places(), 0.5, {"reduce": "multiply"}),
    "aten.scatter_add.default": lambda x: (x, 0, places(), x + 1),
    "aten.scatter_reduce.two": lambda x: (x, 0, places(), x + 1, "mean"),
    "aten.index_reduce.default": lambda x: (x, 0, places((4,)), x + 1, "amax"),
    "aten.index_put.default": lambda x: (x, [places((3,))], x[0], True),
    "aten._unsafe_index_put.default": lambda x: (x, [places((3,))], x[0], True),
    "aten.put.default": lambda x: (x, places((3,)), x[0, :3], True),
    "aten.masked_scatter.default": lambda x: (x, mask(), x + 1),
    "aten.bucketize.Tensor": lambda x: (x, x[0].sort()[0]),
    "aten.bucketize.Scalar": lambda x: (0.25, x[0].sort()[0]),
    "aten.searchsorted.Tensor": lambda x: (x.sort()[0], x + 0.1),
    "aten.searchsorted.Scalar": lambda x: (x[0].sort()[0], 0.25),
    "aten.sort.default": lambda x: (x, 1, True),
    "aten.sort.stable": lambda x: (x, {"stable": True, "dim": 0}),
    "aten.topk.default": lambda x: (x, 2, 1),
    "aten.kthvalue.default": lambda x: (x, 2, 1),
    "aten.rand.default": lambda x: ([2, 3],),
    "aten.randn.default": lambda x: ([2, 3],),
    "aten.normal.Tensor_Tensor": lambda x: (x, x.abs()),
    "aten.normal.Tensor_float": lambda x: (x, 2.0),
    "aten.normal.float_Tensor": lambda x: (2.0, x.abs()),
    "aten.normal.float_float": lambda x: (2.0, 1.0, [2, 3]),
    "aten.bernoulli.p": lambda x: (x, 0.25),
    "aten.bernoulli.Tensor": lambda x: (x, x.abs()),
    "aten.randint.default": lambda x: (9, [2, 3]),
    "aten.randint.low": lambda x: (-3, 9, [2, 3]),
    "aten.randint_like.default": lambda x: (x, 9),
    "aten.randint_like.low_dtype": lambda x: (x, -3, 9),
    "aten.randperm.default": lambda x: (9,),
    "aten.where.self": lambda x: (mask(), x, x + 1),
    "aten.masked_fill.Scalar": lambda x: (x, mask(), 0.5),
    "aten.masked_fill.Tensor": lambda x: (x, mask(), torch.tensor(0.5)),
    "aten.pow.Tensor_Tensor": lambda x: (x.abs() + 0.1, x),
    "aten.acosh.default": lambda x: (x.abs() + 1,),
    "aten.log.default": lambda x: (x.abs() + 0.01,),
    "aten.log2.default": lambda x: (x.abs() + 0.01,),
    "aten.log10.default": lambda x: (x.abs() + 0.01,),
    "aten.sqrt.default": lambda x: (x.abs(),),
    "aten.rsqrt.default": lambda x: (x.abs() + 0.01,),
    "aten.lgamma.default": lambda x: (x.abs() + 0.1,),
    "aten.digamma.default": lambda x: (x.abs() + 0.1,),
    "aten.special_ndtri.default": lambda x: (x.abs() + 0.05,),
    "aten.special_modified_bessel_k0.default": lambda x: (x.abs() * 9,),
    "aten.special_modified_bessel_k1.default": lambda x: (x.abs() * 9,),
    "aten.special_scaled_modified_bessel_k0.default": lambda x: (x.abs() * 9,),
    "aten.special_scaled_modified_bessel_k1.default": lambda x: (x.abs() * 9,),
    "aten.special_bessel_y0.default": lambda x: (x.abs() * 9,),
    "aten.special_bessel_y1.default": lambda x: (x.abs() * 9,),
    "aten.special_zeta.default": lambda x: (x.abs() * 5 + 1.5, x.flip(0).abs() + 0.2),
    "aten.special_zeta.other_scalar": lambda x: (x.abs() * 5 + 1.5, 0.7),
    "aten.special_zeta.self_scalar": lambda x: (2.5, x.abs() + 0.2),
    "aten.polygamma.default": lambda x: (2, x.abs() + 0.1),
    "aten.igamma.default": lambda x: (x.abs() * 5, x.flip(0).abs() * 6),
    "aten.igammac.default": lambda x: (x.abs() * 5, x.flip(0).abs() * 6),
    "aten.frexp.Tensor": lambda x: (x * 100,),
    "aten.clamp.default": lambda x: (x, -0.5, 0.25),
    "aten.clamp.Tensor": lambda x: (x, x - 0.1, x + 0.1),
    "aten.round.decimals": lambda x: (x, {"decimals": 1}),
    "aten.elu.default": lambda x: (x, 0.7),
    "aten.threshold.default": lambda x: (x, 0.1, 7.0),
    "aten.hardtanh.default": lambda x: (x, -0.5, 0.5),
    "aten.div.Tensor_mode": lambda x: (
        x,
        x.flip(0),
    ),
    "aten.view.default": lambda x: (x, [2, 12]),
    "aten.view_copy.default": lambda x: (x, [2, 12]),
    "aten.unsqueeze_copy.default": lambda x: (x, 1),
    "aten.squeeze_copy.default": lambda x: (x.unsqueeze(1),),
    "aten.expand_copy.default": lambda x: (x, [3, 4, 6]),
    "aten.permute_copy.default": lambda x: (x, [1, 0]),
    "aten.narrow_copy.default": lambda x: (x, 1, 1, 3),
    "aten.unbind_copy.int": lambda x: (x, 1),
    "aten.reshape.default": lambda x: (x, [2, 12]),
    "aten._unsafe_view.default": lambda x: (x, [2, 12]),
    "aten._reshape_alias.default": lambda x: (x, [2, 12], [12, 1]),
    "aten.squeeze.default": lambda x: (x.unsqueeze(1),),
    "aten.squeeze.dim": lambda x: (x.unsqueeze(1), 1),
    "aten.squeeze.dims": lambda x: (x.unsqueeze(1), [1]),
    "aten.view.dtype": lambda x: (x, torch.float32),
    "aten.expand.default": lambda x: (x, [3, 4, 6]),
    "aten.permute.default": lambda x: (x, [1, 0]),
    "aten.transpose.int": lambda x: (x, 0, 1),
    "aten.slice.Tensor": lambda x: (x, 1, 1, 6, 2),
    "aten.select.int": lambda x: (x, 1, -2),
    "aten.split.Tensor": lambda x: (x, 4, 1),
    "aten.split_with_sizes.default": lambda x: (x, [1, 5], 1),
    "aten.repeat.default": lambda x: (x, [2, 1, 3]),
    "aten.diagonal.default": lambda x: (x, 1),
    "aten.full.default": lambda x: ([2, 3], 1.5),
    "aten.full_like.default": lambda x: (x, 1.5),
    "aten.new_full.default": lambda x: (x, [2, 3], 1.5),
    "aten.fill.Tensor": lambda x: (x, torch.tensor(2.5)),
    "aten.zeros.default": lambda x: ([2, 3],),
    "aten.new_zeros.default": lambda x: (x, [2, 3]),
    "aten.ones.default": lambda x: ([2, 3],),
    "aten.new_ones.default": lambda x: (x, [2, 3]),
    "aten.empty.memory_format": lambda x: ([2, 3],),
    "aten.empty_permuted.default": lambda x: ([2, 3], [0, 1]),
    "aten.empty_strided.default": lambda x: ([2, 3], [3, 1]),
    "aten.new_empty.default": lambda x: (x, [2, 3]),
    "aten.new_empty_strided.default": lambda x: (x, [2, 3], [3, 1]),
    "aten.arange.default": lambda x: (5,),
    "aten.arange.start": lambda x: (2, 7),
    "aten.arange.start_step": lambda x: (1.0, 3.0, 0.5),
    "aten._softmax.default": lambda x: (x, 1, False),
    "aten._log_softmax.default": lambda x: (x, -1, False),
    "aten.native_layer_norm.default": lambda x: (x, [6], x[0], x[1], 1e-5),
    "aten._fused_rms_norm.default": lambda x: (x, [6], x[0], 1e-5),
    "aten.rms_norm.default": lambda x: (x, [6], x[0], 1e-5),
    "aten.mm.default": lambda x: (x, x.t()),
    "aten.bmm.default": lambda x: (x[None], x.t()[None]),
    "aten.mv.default": lambda x: (x, x[0]),
    "aten.dot.default": lambda x: (x[0], x[1]),
    "aten.vdot.default": lambda x: (x[0], x[1]),
    "aten.addmm.default": lambda x: (x[:, :4], x, x.t(), {"beta": 0.5, "alpha": 2.0}),
    "aten.addmv.default": lambda x: (x[:, 0], x, x[0]),
    "aten.baddbmm.default": lambda x: (x[None, :, :4], x[None], x.t()[None]),
    "aten.addbmm.default": lambda x: (x[:, :4], x.expand(2, 4, 6), x.t().expand(2, 6, 4)),
    "aten.addr.default": lambda x: (x, x[:, 0], x[0]),
    "aten.linear.default": lambda x: (x, x, x[:, 0]),
    "aten.scaled_dot_product_attention.default": lambda x: (x[None, None], x[None, None], x[None, None]),
    "aten._scaled_dot_product_flash_attention_for_cpu.default": lambda x: (x[None, None],) * 3,
    "aten._to_copy.default": lambda x: (x, {"dtype": torch.int32}),
    "aten.to.dtype": lambda x: (x, torch.int32),
    "prims.convert_element_type.default": lambda x: (x, torch.int32),
    "prims.copy_strided.default": lambda x: (x, [1, 4]),
    "aten._scaled_mm.default": lambda x: (
        x.repeat(4, 8).to(torch.float8_e4m3fn),
        x.repeat(4, 8).to(torch.float8_e4m3fn).t(),
        torch.tensor(0.5),
        torch.tensor(2.0),
        {"out_dtype": torch.float32},
    ),
    "prims.iota.default": lambda x: (
        5,
        {"start": 1, "step": 2, "dtype": torch.int64, "device": torch.device("cpu"), "requires_grad": False},
    ),
    "aten.any.dims": lambda x: (x, [1]),
    "aten.all.dims": lambda x: (x, [1]),
    "aten.logsumexp.default": lambda x: (x, [1]),
    "aten.bitwise_not.default": lambda x: (integer_tensor(),),
    "aten.cat.default": lambda x: ([x, x + 1], 1),
    "aten.flip.default": lambda x: (x, [0, 1]),
    "aten.roll.default": lambda x: (x, [1, -2], [0, 1]),
    "aten.constant_pad_nd.default": lambda x: (x, [1, 2, -1, 3], 0.5),
    "aten.reflection_pad1d.default": lambda x: (x, [2, 3]),
    "aten.reflection_pad2d.default": lambda x: (x.unsqueeze(0), [2, 3, 1, 0]),
    "aten.reflection_pad3d.default": lambda x: (x.reshape(1, 2, 3, 4), [2, 3, 1, 0, 0, 1]),
    "aten.replication_pad1d.default": lambda x: (x, [2, 3]),
    "aten.replication_pad2d.default": lambda x: (x.unsqueeze(0), [2, 3, 1, 0]),
    "aten.replication_pad3d.default": lambda x: (x.reshape(1, 2, 3, 4), [2, 3, 1, 0, 0, 1]),
    "aten.convolution.default": lambda x: (
        x.reshape(1, 2, 3, 4), x.reshape(3, 2, 2, 2), x[0, :3], [1, 1], [1, 0], [1, 1], False, [0, 0], 1
    ),
    "aten.max_pool2d_with_indices.default": lambda x: (x.unsqueeze(0), [2, 3], [1, 2], [1, 1]),
    "aten.max_pool3d_with_indices.default": lambda x: (x.reshape(1, 2, 3, 4), [2, 2, 3], [1, 1, 2]),
    "aten.avg_pool1d.default": lambda x: (x, [3], [2], [1]),
    "aten.avg_pool2d.default": lambda x: (x.unsqueeze(0), [2, 3], [1, 2], [1, 1]),
    "aten.avg_pool3d.default": lambda x: (x.reshape(1, 2, 3, 4), [2, 2, 3], [1, 1, 2]),
    "aten._adaptive_avg_pool2d.default": lambda x: (x.unsqueeze(0), [3, 2]),
    "aten._adaptive_avg_pool3d.default": lambda x: (x.reshape(1, 2, 3, 4), [1, 2, 3]),
    "aten.adaptive_max_pool2d.default": lambda x: (x.unsqueeze(0), [3, 2]),
    "aten.adaptive_max_pool3d.default": lambda x: (x.reshape(1, 2, 3, 4), [1, 2, 3]),
    "aten.slice_scatter.default": lambda x: (x, x[:, :2] + 1, 1, 1, 5, 2),
    "aten.select_scatter.default": lambda x: (x, x[0] + 1, 0, -1),
    "aten.diagonal_scatter.default": lambda x: (x, x[0, :4] + 1, 1),
    "aten.im2col.default": lambda x: (x.reshape(1, 1, 4, 6), [2, 3], [1, 1], [1, 0], [2, 1]),
    "aten.col2im.default": lambda x: (x.reshape(1, 4, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1]),
    "aten.tril_indices.default": lambda x: (3, 4, 1, {"dtype": torch.int64, "device": "cpu"}),
    "aten.triu_indices.default": lambda x: (3, 4, 1, {"dtype": torch.int64, "device": "cpu"}),
    "aten.unfold.default": lambda x: (x, 1, 3, 2),
    "aten.unfold_copy.default": lambda x: (x, 1, 3, 2),
    "aten.as_strided.default": lambda x: (x, [3, 4], [5, 2], 1),
    "aten.as_strided_copy.default": lambda x: (x, [3, 4], [5, 2], 1),
    "aten.split_with_sizes_copy.default": lambda x: (x, [1, 5], 1),
    "aten._reshape_copy.default": lambda x: (x, [2, 12]),
}


def overload(name):
    """torch.ops' operator of "aten.add.Tensor"."""
    namespace, packet, which = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), which)


def arguments(name, dtype=torch.float32):
    """(positional, keyword) arguments for one overload."""
    first = float_tensor(dtype=dtype)
    if name in SPECIAL:
        args = list(SPECIAL[name](first))
        kwargs = args.pop() if isinstance(args[-1], dict) else {}
        if name == "aten.div.Tensor_mode":
            kwargs = {"rounding_mode": "floor"}
        return args, kwargs
    integers = any(word in name for word in INTEGER_OPS)
    make = integer_tensor if integers else float_tensor
    args, kwargs, seed = [], {}, 0
    for argument in overload(name)._schema.arguments:
        kind = str(argument.type)
        if kind == "Tensor":
            value = make(seed) if integers else make(seed, dtype=dtype)
            seed += 1
        elif argument.name == "rounding_mode":
            value = "floor"
        elif argument.has_default_value():
            continue
        elif kind in ("number", "Scalar"):
            value = 2 if integers else 0.375
        elif kind == "int":
            value = 1
        elif kind.startswith("List[int]") or kind.startswith("Optional[List[int]"):
            value = [1]
        else:
            value = None
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


def graph_of(op, args, kwargs):
    """A graph module that calls `op`, with fake values in meta, and its inputs."""
    graph, inputs = torch.fx.Graph(), []
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:

        def place(value):
            if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
                return [place(item) for item in value]
            if isinstance(value, torch.Tensor):
                node = graph.placeholder(f"x{len(inputs)}")
                node.meta["val"] = mode.from_tensor(value)
                inputs.append(value)
                return node
            if isinstance(value, list):
                return [place(item) for item in value]
            return value

        def meta(value):
            if isinstance(value, list):
                return [meta(item) for item in value]
            return value.meta["val"] if isinstance(value, torch.fx.Node) else value

        nodes = [place(value) for value in args]
        keywords = {key: place(value) for key, value in kwargs.items()}
        call = graph.call_function(op, tuple(nodes), keywords)
        result = op(*map(meta, nodes), **{key: meta(value) for key, value in keywords.items()})
    call.meta["val"] = result
    outputs = []
    if isinstance(result, torch.Tensor):
        outputs = [call]
    else:
        import operator

        for position, value in enumerate(result):
            item = graph.call_function(operator.getitem, (call, position))
            item.meta["val"] = value
            outputs.append(item)
    graph.output(outputs)
    return torch.fx.GraphModule({}, graph), inputs

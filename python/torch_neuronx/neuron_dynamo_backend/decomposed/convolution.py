"""The backward pass of convolutions, which is convolutions again."""

import torch

aten = torch.ops.aten


def _weight(x, grad, kernel, stride, padding, dilation, groups):
    """Gradient [G * O, I, *kernel] of the weight of a convolution of x [N, G * I, ...] that gave grad [N, G * O, ...]:
    a convolution with the batch as channels, the inputs' channels as batch, and grad as the weight."""
    n, spatial = x.shape[0], range(3, x.dim() + 1)
    inputs = x.reshape(n, groups, -1, *x.shape[2:]).permute(2, 1, 0, *spatial).reshape(-1, groups * n, *x.shape[2:])
    weight = grad.reshape(n, groups, -1, *grad.shape[2:]).permute(1, 2, 0, *spatial).reshape(-1, n, *grad.shape[2:])
    none = [0] * len(kernel)
    out = aten.convolution(inputs, weight, None, dilation, padding, stride, False, none, groups)
    for dim, size in enumerate(kernel):  # what the stride did not reach
        out = out.narrow(dim + 2, 0, size)
    return out.transpose(0, 1)


def _full(values, count):
    return list(values) * count if len(values) == 1 else list(values)


def backward(grad, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    """Gradients of the input, the weight and the bias; None for those that `output_mask` leaves out."""
    kernel, n = weight.shape[2:], weight.dim() - 2
    stride, padding, dilation = _full(stride, n), _full(padding, n), _full(dilation, n)
    none = [0] * n
    grad_x = grad_weight = grad_bias = None
    if output_mask[0] and transposed:
        grad_x = aten.convolution(grad, weight, None, stride, padding, dilation, False, none, groups)
        for dim, size in enumerate(x.shape[2:]):  # an output padding of the stride or more comes from no input
            grad_x = grad_x.narrow(dim + 2, 0, size)
    elif output_mask[0]:
        # What the strides left over at the end of the input.
        left = [
            x.shape[i + 2] - ((grad.shape[i + 2] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel[i] - 1) + 1)
            for i in range(n)
        ]
        grad_x = aten.convolution(grad, weight, None, stride, padding, dilation, True, left, groups)
    if output_mask[1]:
        ends = (grad, x) if transposed else (x, grad)
        grad_weight = _weight(*ends, kernel, stride, padding, dilation, groups)
    if output_mask[2]:
        grad_bias = grad.sum([0, *range(2, grad.dim())])
    return grad_x, grad_weight, grad_bias

"""The fused steps of optimizers (torch.optim's fused=True): one program for all parameters of a group.

Each changes its lists of tensors in place, as the ATen operation does. `state_steps` are counted already. With
`found_inf` (a gradient scaler), nothing changes where it is 1.
"""

import torch

aten = torch.ops.aten


def _gradient(grad, param, grad_scale, maximize, weight_decay):
    if grad_scale is not None:
        grad = grad / grad_scale
    if maximize:
        grad = -grad
    return grad + weight_decay * param if weight_decay else grad


def _write(target, value, found_inf):
    target.copy_(value if found_inf is None else torch.where(found_inf == 1, target, value.to(target.dtype)))


def _adam(decoupled):
    def step(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        *,
        lr,
        beta1,
        beta2,
        weight_decay,
        eps,
        amsgrad,
        maximize,
        grad_scale=None,
        found_inf=None,
    ):
        for index, param in enumerate(params):
            grad = _gradient(grads[index], param, grad_scale, maximize, 0 if decoupled else weight_decay)
            decayed = param * (1 - lr * weight_decay) if decoupled and weight_decay else param
            avg = exp_avgs[index] * beta1 + grad * (1 - beta1)
            square = exp_avg_sqs[index] * beta2 + grad * grad * (1 - beta2)
            largest = square
            if amsgrad:
                largest = torch.maximum(max_exp_avg_sqs[index], square)
                _write(max_exp_avg_sqs[index], largest, found_inf)
            count = state_steps[index]
            denominator = largest.sqrt() / (1 - beta2**count).sqrt() + eps
            _write(param, decayed - lr / (1 - beta1**count) * avg / denominator, found_inf)
            _write(exp_avgs[index], avg, found_inf)
            _write(exp_avg_sqs[index], square, found_inf)
        return ()

    return step


def _sgd(
    params,
    grads,
    momentum_buffers,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
    is_first_step,
    grad_scale=None,
    found_inf=None,
):
    for index, param in enumerate(params):
        grad = _gradient(grads[index], param, grad_scale, maximize, weight_decay)
        if momentum:
            buffer = grad if is_first_step else momentum_buffers[index] * momentum + grad * (1 - dampening)
            _write(momentum_buffers[index], buffer, found_inf)
            grad = grad + momentum * buffer if nesterov else buffer
        _write(param, param - lr * grad, found_inf)
    return ()


def _adagrad(
    params,
    grads,
    state_sums,
    state_steps,
    *,
    lr,
    lr_decay,
    weight_decay,
    eps,
    maximize,
    grad_scale=None,
    found_inf=None,
):
    for index, param in enumerate(params):
        grad = _gradient(grads[index], param, grad_scale, maximize, weight_decay)
        total = state_sums[index] + grad * grad
        rate = lr / (1 + (state_steps[index] - 1) * lr_decay)
        _write(param, param - rate * grad / (total.sqrt() + eps), found_inf)
        _write(state_sums[index], total, found_inf)
    return ()


IMPLEMENTATIONS = {
    aten._fused_adam_.default: _adam(decoupled=False),
    aten._fused_adam_.tensor_lr: _adam(decoupled=False),
    aten._fused_adamw_.default: _adam(decoupled=True),
    aten._fused_adamw_.tensor_lr: _adam(decoupled=True),
    aten._fused_sgd_.default: _sgd,
    aten._fused_sgd_.tensor_lr: _sgd,
    aten._fused_adagrad_.default: _adagrad,
    aten._fused_adagrad_.tensor_lr: _adagrad,
}

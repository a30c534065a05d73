"""Networks of the tests: shapes of known models, small, with seeded random weights.

Weights of attention are scaled up, so that the softmax is peaked and what is masked,
scaled or multiplied shows in the output.
"""

import torch
from torch import nn


def seeded(make):
    torch.manual_seed(0)
    model = make().eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return model


class Output(nn.Module):
    """A `transformers` model as a function of tensors to one tensor."""

    def __init__(self, model, field):
        super().__init__()
        self.model, self.field = model, field

    def forward(self, *args, **kwargs):
        return getattr(self.model(*args, **kwargs), self.field)


def gpt2(attention="sdpa", **changes):
    import transformers

    config = transformers.GPT2Config(
        n_layer=4, n_embd=256, n_head=4, vocab_size=512, n_positions=128, use_cache=False, **changes
    )
    config._attn_implementation = attention

    def make():
        model = transformers.GPT2LMHeadModel(config)
        for block in model.transformer.h:
            block.attn.c_attn.weight.data *= 6
            block.mlp.c_fc.weight.data *= 4
        return Output(model, "logits")

    return seeded(make)


def llama():
    import transformers

    config = transformers.LlamaConfig(
        num_hidden_layers=1,
        hidden_size=64,
        intermediate_size=160,
        num_attention_heads=8,
        num_key_value_heads=2,
        vocab_size=128,
        use_cache=False,
    )

    def make():
        model = transformers.LlamaForCausalLM(config)
        for layer in model.model.layers:
            layer.self_attn.q_proj.weight.data *= 20
            layer.self_attn.k_proj.weight.data *= 20
        return Output(model, "logits")

    return seeded(make)


def vit():
    import transformers

    config = transformers.ViTConfig(
        num_hidden_layers=2,
        hidden_size=64,
        intermediate_size=128,
        num_attention_heads=4,
        image_size=32,
        patch_size=8,
    )
    return seeded(lambda: Output(transformers.ViTModel(config, add_pooling_layer=False), "last_hidden_state"))


def resnet18():
    import transformers

    config = transformers.ResNetConfig(
        depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512], layer_type="basic", embedding_size=64
    )

    def make():
        model = transformers.ResNetForImageClassification(config)
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(std=0.2)
                module.running_var.uniform_(0.5, 2)
        return Output(model, "logits")

    return seeded(make)


class UnrolledLstm(nn.Module):
    """An LSTM cell over the steps of a sequence."""

    def __init__(self, inputs=24, hidden=40):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.LSTMCell(inputs, hidden)

    def forward(self, sequence):
        h = c = sequence.new_zeros(sequence.shape[1], self.hidden)
        outputs = []
        for step in sequence:
            h, c = self.cell(step, (h, c))
            outputs.append(h)
        return torch.stack(outputs)


class UnetBlock(nn.Module):
    """Down, up with a transposed convolution, and the skip between them."""

    def __init__(self, channels=16):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1)
        self.norm = nn.GroupNorm(4, channels)
        self.down = nn.Conv2d(channels, 2 * channels, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(2 * channels, channels, 2, stride=2)
        self.last = nn.Conv2d(2 * channels, 3, 1)

    def forward(self, x):
        skip = nn.functional.silu(self.norm(self.first(x)))
        low = nn.functional.silu(self.down(skip))
        return self.last(torch.cat([skip, self.up(low)], dim=1))


def lstm():
    return seeded(UnrolledLstm)


def unet():
    return seeded(UnetBlock)


class GeluMlp(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def mlp():
    return seeded(GeluMlp)


def tokens(vocabulary, *shape):
    return torch.randint(0, vocabulary, shape, generator=torch.Generator().manual_seed(1))


def image(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))

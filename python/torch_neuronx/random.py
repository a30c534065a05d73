"""Random numbers of the device. Its generators are those of the CPU with another name: a seed gives the same numbers
in eager and in compiled code, and states are those of CPU generators."""

import torch

from . import _C
from .placement import index_of


def _generators():
    return [_C.default_generator(index) for index in range(_C.device_count())]


def _get_generator(device) -> torch.Generator:
    return _C.default_generator(index_of(device))


def manual_seed(seed: int):
    """Seeds the generator of the current device."""
    _get_generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int):
    """Seeds the generators of all devices."""
    for generator in _generators():
        generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the generator of the current device with a random number, and returns it."""
    return _get_generator(None).seed()


def seed_all():
    """Seeds the generators of all devices with one random number."""
    manual_seed_all(seed())


def initial_seed() -> int:
    """What the generator of the current device was seeded with."""
    return _get_generator(None).initial_seed()


def get_rng_state(device=None) -> torch.Tensor:
    """The state of the device's generator, a uint8 tensor on the CPU."""
    return _get_generator(device).get_state()


def get_rng_state_all() -> list:
    """The states of all devices' generators."""
    return [generator.get_state() for generator in _generators()]


def set_rng_state(state: torch.Tensor, device=None):
    """Sets what get_rng_state gave."""
    _get_generator(device).set_state(state)


def set_rng_state_all(states):
    """Sets what get_rng_state_all gave."""
    for index, state in enumerate(states):
        set_rng_state(state, index)

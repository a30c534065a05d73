"""Reads NEFF files: header, members, and the inputs and outputs of ours.

Standard library only, and importable without torch::

    file = neff.read("model.neff")
    file.header.uuid, list(file.members), file.inputs[0].dtype

Every file that cannot be used raises a subclass of :class:`NeffError`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import struct
import tarfile
import uuid as _uuid
import zlib

__all__ = [
    "Header",
    "NeffError",
    "NeffFile",
    "NeffForeignError",
    "NeffHashError",
    "NeffMalformedError",
    "NeffTruncatedError",
    "NeffVersionError",
    "TensorInfo",
    "parse",
    "read",
]

HEADER_SIZE = 1024
PACKAGE_VERSION = 2
NEFF_MAJOR = 2
PROGRAM_VERSION = 5
#: Programs from this version on can be used; 4 added the 8-bit floats.
OLDEST_PROGRAM_VERSION = 3
#: A few bytes can decompress to any number.
MAX_PAYLOAD = 1 << 30

PROGRAM_MEMBER = "sg00/neuron_mlir_program.bin"
TENSORS_MEMBER = "sg00/neuron_mlir_tensors.json"
LOCATIONS_MEMBER = "debug_info/neuron_mlir_locations.json"
_PROGRAM_MAGIC = b"NEURONMLIR\0"

# Package and header size, data size, NEFF version, build version, tpbs, hash,
# uuid, name, requested tpbs, tpbs of each node, feature bits, lnc size, padding.
_HEADER = struct.Struct("<5Q128sI32s16s256sI64sQI468x")


class NeffError(Exception):
    """A file is no NEFF that can be used."""


class NeffTruncatedError(NeffError):
    """The file is shorter than its header says."""


class NeffHashError(NeffError):
    """The payload is not what was written."""


class NeffVersionError(NeffError):
    """The container, or the program in it, is of another version."""


class NeffForeignError(NeffError):
    """The engine code is not neuron-mlir's."""


class NeffMalformedError(NeffError):
    """Anything else that is wrong."""


@dataclasses.dataclass(frozen=True)
class Header:
    """The first 1024 bytes."""

    package_version: int
    header_size: int
    data_size: int
    major: int
    minor: int
    build_version: str
    num_tpb: int
    hash: bytes
    uuid: _uuid.UUID
    name: str
    requested_tpb_count: int
    tpb_per_node: bytes
    feature_bits: int
    lnc_size: int


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or output, with its logical dtype."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    #: In elements: how it lies in its buffer.
    strides: tuple[int, ...]
    bytes: int
    #: The input in whose memory this output is written.
    aliased_input: str | None = None


@dataclasses.dataclass(frozen=True)
class NeffFile:
    """A NEFF in memory."""

    header: Header
    #: Name to content, in the order of the file.
    members: dict[str, bytes]

    def json(self, member: str) -> object:
        """A JSON member."""
        if member not in self.members:
            raise NeffMalformedError(f"corrupt NEFF: it has no member {member}")
        try:
            return json.loads(self.members[member])
        except (ValueError, RecursionError) as error:
            raise NeffMalformedError(f"corrupt NEFF: {member} is no JSON: {error}") from error

    @property
    def program(self) -> bytes:
        """The encoded device program; raises unless neuron-mlir wrote the file."""
        if PROGRAM_MEMBER not in self.members:
            raise NeffForeignError(
                f"foreign NEFF: made by {self._text('info.json', 'tool_version')!r} for target "
                f"{self._text('kelf-0.json', 'target')!r}; it holds no program of neuron-mlir"
            )
        program = self.members[PROGRAM_MEMBER]
        start = len(_PROGRAM_MAGIC)
        if not program.startswith(_PROGRAM_MAGIC) or len(program) < start + 4:
            raise NeffMalformedError(f"corrupt NEFF: {PROGRAM_MEMBER} is no device program")
        version = int.from_bytes(program[start : start + 4], "little")
        if not OLDEST_PROGRAM_VERSION <= version <= PROGRAM_VERSION:
            raise NeffVersionError(
                f"device program of version {version}, but this build reads version "
                f"{OLDEST_PROGRAM_VERSION} to {PROGRAM_VERSION}; compile it again with this build"
            )
        return program

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """In the order of the program."""
        return self._tensors("inputs")

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """In the order of the program."""
        return self._tensors("outputs")

    @property
    def locations(self) -> tuple[str, ...]:
        """Location ids of the program's instructions."""
        _ = self.program
        table = self.json(LOCATIONS_MEMBER)
        return tuple(table["locations"])

    def _tensors(self, role: str) -> tuple[TensorInfo, ...]:
        _ = self.program
        table = self.json(TENSORS_MEMBER)
        try:
            return tuple(
                TensorInfo(
                    name=row["name"],
                    dtype=row["dtype"],
                    shape=tuple(row["shape"]),
                    strides=tuple(row["strides"]),
                    bytes=row["bytes"],
                    aliased_input=row.get("aliased_input"),
                )
                for row in table[role]
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise NeffMalformedError(f"corrupt NEFF: {TENSORS_MEMBER} lacks {error}") from error

    def _text(self, member: str, key: str) -> str:
        try:
            return str(self.json(member)[key])
        except (NeffMalformedError, KeyError, TypeError):
            return "unknown"


def read(path: str | os.PathLike[str]) -> NeffFile:
    """Reads a NEFF from disk, AWS's included."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return parse(data)
    except NeffError as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from error.__cause__


def parse(data: bytes, *, check_hash: bool = True) -> NeffFile:
    """A NEFF from its bytes."""
    header = _parse_header(data)
    payload = data[HEADER_SIZE : HEADER_SIZE + header.data_size]
    if len(payload) < header.data_size:
        raise NeffTruncatedError(f"truncated NEFF: {len(payload)} bytes of payload instead of {header.data_size}")
    if check_hash and _hash(payload) != header.hash:
        raise NeffHashError(
            f"corrupt NEFF: the hash of its payload is {_hash(payload)[:16].hex()}, but its "
            f"header says {header.hash[:16].hex()}; delete the file and compile again"
        )
    if payload[:2] == b"\x1f\x8b":
        payload = _decompress(payload)
    return NeffFile(header, _members(payload))


def _parse_header(data: bytes) -> Header:
    if len(data) < HEADER_SIZE:
        raise NeffTruncatedError(f"truncated NEFF: {len(data)} bytes, shorter than the header's {HEADER_SIZE}")
    fields = list(_HEADER.unpack_from(data))
    for index in (5, 9):
        fields[index] = fields[index].partition(b"\0")[0].decode(errors="replace")
    fields[8] = _uuid.UUID(bytes=fields[8])
    header = Header(*fields)
    if header.header_size != HEADER_SIZE:
        raise NeffMalformedError(f"not a NEFF: its header does not say that it has {HEADER_SIZE} bytes")
    if header.package_version != PACKAGE_VERSION:
        raise NeffVersionError(
            f"NEFF of package version {header.package_version}; this build reads version {PACKAGE_VERSION}"
        )
    if header.major > NEFF_MAJOR:
        raise NeffVersionError(
            f"NEFF version mismatch supported: {NEFF_MAJOR}.0 received: {header.major}.{header.minor}"
        )
    return header


def _hash(payload: bytes) -> bytes:
    """MD5 with the bytes of each 32-bit word reversed, padded to 32 bytes."""
    digest = hashlib.md5(payload, usedforsecurity=False).digest()
    return b"".join(digest[i : i + 4][::-1] for i in range(0, 16, 4)) + bytes(16)


def _decompress(payload: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    try:
        data = stream.decompress(payload, MAX_PAYLOAD)
    except zlib.error as error:
        raise NeffMalformedError(f"corrupt NEFF: {error}") from error
    if stream.unconsumed_tail:
        raise NeffMalformedError(f"corrupt NEFF: it decompresses to more than {MAX_PAYLOAD} bytes, the limit")
    if not stream.eof:
        raise NeffMalformedError("corrupt NEFF: the gzip stream ends early")
    if stream.unused_data.strip(b"\0"):
        raise NeffMalformedError("corrupt NEFF: there are bytes after the gzip stream")
    return data


def _members(payload: bytes) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(payload), mode="r:") as tar:
            for entry in tar:
                if entry.isdir():
                    continue
                if not entry.isreg():
                    raise NeffMalformedError(f"corrupt NEFF: '{entry.name}' is neither file nor directory")
                if not _is_safe(entry.name):
                    raise NeffMalformedError(f"corrupt NEFF: unsafe member name '{entry.name}'")
                if entry.name in members:
                    raise NeffMalformedError(f"corrupt NEFF: two members are named '{entry.name}'")
                content = tar.extractfile(entry)
                data = content.read() if content else b""
                if len(data) != entry.size:
                    raise NeffMalformedError(f"corrupt NEFF: '{entry.name}' is longer than the archive")
                members[entry.name] = data
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        raise NeffMalformedError(f"corrupt NEFF: {error}") from error
    return members


def _is_safe(name: str) -> bool:
    if "\\" in name or "\0" in name:
        return False
    return all(part not in ("", ".", "..") for part in name.split("/"))

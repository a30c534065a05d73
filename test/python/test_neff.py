"""The NEFF reader in Python, the container itself, and the tools that read it.

The samples are written by the C++ writer (build/bin/make-sample), so that the
two sides check each other.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tarfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("NEURON_MLIR_BUILD", ROOT / "build")) / "bin"
SOURCE = ROOT / "python" / "torch_neuronx" / "neff.py"


def load_module():
    """The module alone: it must not need the package, nor torch."""
    spec = importlib.util.spec_from_file_location("neff_under_test", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


neff = load_module()


def run_tool(name, *arguments, expect=0, env=None):
    result = subprocess.run(
        [BIN / name, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert result.returncode == expect, result.stdout + result.stderr
    return result.stdout if expect == 0 else result.stderr


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    directory = tmp_path_factory.mktemp("neff")
    for kind in ("add", "everything", "strided"):
        run_tool("make-sample", kind, directory / f"{kind}.neff")
    return directory


@pytest.fixture
def add(samples):
    return (samples / "add.neff").read_bytes()


def rehashed(data: bytes) -> bytes:
    digest = hashlib.md5(data[1024:]).digest()
    words = struct.pack("<4I", *struct.unpack(">4I", digest))
    return data[:172] + words + bytes(16) + data[204:]


def packed(members: dict[str, bytes], template: bytes, **options) -> bytes:
    """Another payload under a header that fits it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.type = options.get("type", tarfile.REGTYPE)
            tar.addfile(entry, io.BytesIO(content))
    payload = buffer.getvalue()
    if options.get("compress", True):
        payload = gzip.compress(payload)
    size = struct.pack("<Q", len(payload))
    return rehashed(template[:16] + size + template[24:1024] + payload)


def test_needs_no_torch():
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('neff', {str(SOURCE)!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "sys.modules['neff'] = module\n"
        "spec.loader.exec_module(module)\n"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_header(add):
    header = neff.parse(add).header
    assert (header.package_version, header.header_size) == (2, 1024)
    assert (header.major, header.minor) == (2, 0)
    assert header.data_size == len(add) - 1024
    assert header.data_size % 10240 == 0
    assert header.name == "add.neff"
    assert (header.num_tpb, header.requested_tpb_count, header.lnc_size) == (1, 1, 1)
    assert header.feature_bits == 0
    assert header.uuid.version == 8
    assert rehashed(add) == add


def test_container_is_readable_by_others(add, tmp_path):
    """By gzip and tar as everyone has them, with the metadata of real NEFFs."""
    payload = add[1024:]
    assert payload[:10] == bytes.fromhex("1f8b0800000000000403")
    (tmp_path / "payload.tar.gz").write_bytes(payload)
    listing = subprocess.run(
        ["tar", "--ignore-zeros", "-tvzf", tmp_path / "payload.tar.gz"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    assert len(listing) == 13
    assert all(re.match(r"-rw-rw-r-- nobody/nobody", line) for line in listing), listing
    with tarfile.open(fileobj=io.BytesIO(payload), mode="r:gz") as tar:
        entries = tar.getmembers()
    assert {entry.mtime for entry in entries} == {0}
    assert {(entry.uid, entry.gid, entry.mode) for entry in entries} == {(1000, 1000, 0o664)}


def test_members_and_tables(samples):
    file = neff.read(samples / "add.neff")
    assert list(file.members)[-1] == "neff.json"
    assert file.json("info.json")["tool_version"].startswith("neuron-mlir ")
    assert file.json("kelf-0.json")["target"] == "neuron-mlir-trn2"
    assert [tensor.name for tensor in file.inputs] == ["a", "b"]
    assert file.outputs == (neff.TensorInfo("out", "float32", (256, 64), (64, 1), 65536),)
    assert file.locations == ("<unknown>", "add")
    assert file.program.startswith(b"NEURONMLIR\0")
    graph = file.json("neff.json")
    assert graph["attrs"]["dltype"] == ["list_str", ["float32"] * 3]


def test_logical_types_and_aliases(samples):
    file = neff.read(samples / "everything.neff")
    assert file.inputs[0].dtype == "bfloat16"
    assert file.outputs[0].dtype == "int64"
    assert file.outputs[0].aliased_input == "x"


def test_writing_is_reproducible(samples, add, tmp_path):
    run_tool("make-sample", "add", tmp_path / "again.neff")
    assert (tmp_path / "again.neff").read_bytes() == add


@pytest.mark.parametrize("size", [0, 1023, 1024, 2000, -1])
def test_truncated(add, size):
    with pytest.raises(neff.NeffTruncatedError, match="truncated"):
        neff.parse(add[:size])


def test_flipped_bits(add):
    for at in range(1024, len(add), 101):
        changed = bytearray(add)
        changed[at] ^= 1
        with pytest.raises(neff.NeffHashError, match="hash"):
            neff.parse(bytes(changed))
    assert neff.parse(add[:172] + bytes(32) + add[204:], check_hash=False).members


@pytest.mark.parametrize("at", [0, 24])
def test_other_versions(add, at):
    changed = bytearray(add)
    changed[at] = 9
    with pytest.raises(neff.NeffVersionError, match="9"):
        neff.parse(bytes(changed))


def test_other_program_version(add):
    members = dict(neff.parse(add).members)
    program = bytearray(members[neff.PROGRAM_MEMBER])
    program[11] = 77
    members[neff.PROGRAM_MEMBER] = bytes(program)
    with pytest.raises(neff.NeffVersionError, match="version 77"):
        _ = neff.parse(packed(members, add)).program


def test_foreign(add):
    members = {
        "info.json": b'{"tool_version": "2.23.6484.0"}',
        "kelf-0.json": b'{"target": "cayman"}',
        "sg00/PE.bin": bytes(64),
    }
    file = neff.parse(packed(members, add))
    assert list(file.members) == list(members)
    with pytest.raises(neff.NeffForeignError, match=r"2\.23\.6484\.0.*cayman"):
        _ = file.inputs


def test_plain_tar(add):
    members = neff.parse(add).members
    assert neff.parse(packed(members, add, compress=False)).members == members


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../x", "a//b", "./a", "a\\b"])
def test_unsafe_names(add, name):
    with pytest.raises(neff.NeffMalformedError, match="unsafe"):
        neff.parse(packed({name: b"x"}, add))


def test_links(add):
    with pytest.raises(neff.NeffMalformedError, match="neither file nor directory"):
        neff.parse(packed({"a": b""}, add, type=tarfile.SYMTYPE))


def test_not_a_neff():
    with pytest.raises(neff.NeffMalformedError, match="not a NEFF"):
        neff.parse(b"\x7fELF" * 1000)


def test_bomb(add, monkeypatch):
    monkeypatch.setattr(neff, "MAX_PAYLOAD", 1 << 16)
    with pytest.raises(neff.NeffMalformedError, match="limit"):
        neff.parse(packed({"a": bytes(1 << 20)}, add))


def test_mutations_raise_nothing_else(add):
    generator = random.Random(5)
    members = neff.parse(add).members
    plain = packed(members, add, compress=False)
    rejected = 0
    for round in range(600):
        changed = bytearray(plain if round % 2 else add)
        changed[generator.randrange(len(changed))] = generator.randrange(256)
        try:
            file = neff.parse(rehashed(bytes(changed)))
            _ = file.inputs, file.outputs, file.locations
        except neff.NeffError:
            rejected += 1
    assert 50 < rejected < 600


@pytest.mark.parametrize("version", range(neff.OLDEST_PROGRAM_VERSION, neff.PROGRAM_VERSION))
def test_older_programs_are_read(add, version, tmp_path):
    members = dict(neff.parse(add).members)
    program = bytearray(members[neff.PROGRAM_MEMBER])
    program[11] = version
    members[neff.PROGRAM_MEMBER] = bytes(program)
    path = tmp_path / "older.neff"
    path.write_bytes(packed(members, add))
    assert neff.read(path).program[11] == version
    assert "tensor" in run_tool("neuron-neff", path, "--program")


def test_program_version_is_the_compilers():
    header = (ROOT / "runtime" / "program" / "Program.h").read_text()
    for name, here in [("", neff.PROGRAM_VERSION), ("Oldest", neff.OLDEST_PROGRAM_VERSION)]:
        version = re.search(rf"k{name}ProgramVersion = (\d+);", header)
        assert version and int(version[1]) == here


# The tools.


def test_neuron_neff_prints(samples):
    text = run_tool("neuron-neff", samples / "add.neff", "--program")
    assert "NEFF 'add.neff'" in text
    assert "input    a: float32[256,64] strides [64,1], 65536 bytes" in text
    assert "vector.tensor_tensor<add> parts=128" in text
    value = json.loads(run_tool("neuron-neff", samples / "add.neff", "--json"))
    assert value["header"]["uuid"] == str(neff.read(samples / "add.neff").header.uuid)
    assert value["tensors"]["outputs"][0]["name"] == "out"


def test_neuron_neff_extracts(samples, tmp_path):
    run_tool("neuron-neff", samples / "add.neff", "--extract", tmp_path / "x")
    for name, content in neff.read(samples / "add.neff").members.items():
        assert (tmp_path / "x" / name).read_bytes() == content


def test_neuron_neff_shows_foreign_files(add, tmp_path):
    path = tmp_path / "foreign.neff"
    path.write_bytes(packed({"info.json": b'{"tool_version": "2.23"}'}, add))
    assert "not made by neuron-mlir" in run_tool("neuron-neff", path)
    assert "foreign NEFF: made by '2.23'" in run_tool("neuron-neff", path, "--program", expect=1)


def test_neuron_neff_errors(add, tmp_path):
    assert "usage" in run_tool("neuron-neff", expect=2)
    assert "cannot open" in run_tool("neuron-neff", tmp_path / "none", expect=1)
    assert "cannot read" in run_tool("neuron-neff", tmp_path, expect=1)
    (tmp_path / "short").write_bytes(add[:3000])
    assert "truncated" in run_tool("neuron-neff", tmp_path / "short", expect=1)


INTERPRETER = ("--form", "interpreter")


def test_neuron_run_adds(samples, tmp_path):
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 256, 64), dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", np.asfortranarray(b))
    text = run_tool(
        "neuron-run",
        samples / "add.neff",
        *("--input", f"a={tmp_path / 'a.npy'}", "--input", f"b={tmp_path / 'b.npy'}"),
        *("--output-dir", tmp_path / "out", *INTERPRETER, "--profile"),
    )
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out.npy"), a + b)
    assert re.search(r"device time: [0-9.]+ us \(the simulator's prediction for trn2\)", text)
    assert len(re.findall(r"vector +vector\.tensor_tensor<add>", text)) == 2


@pytest.mark.parametrize("dtype", [np.uint16, "V2"])
def test_neuron_run_strides_bfloat16_and_aliases(samples, tmp_path, dtype):
    bits = (np.arange(1, 13, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    x = bits.reshape(4, 3)
    np.save(tmp_path / "x.npy", x.view(dtype))
    text = run_tool(
        "neuron-run",
        samples / "strided.neff",
        *("--input", f"x.must_alias_input={tmp_path / 'x.npy'}"),
        *("--output-dir", tmp_path, *INTERPRETER),
    )
    assert "x.npy (the bits, as uint16)" in text
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy"), x)
    doubled = np.load(tmp_path / "x.npy").astype(np.uint32) << 16
    expected = 2 * np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(doubled.view(np.float32), expected)


def test_neuron_run_errors(samples, tmp_path):
    good = np.zeros((256, 64), np.float32)
    np.save(tmp_path / "good.npy", good)
    np.save(tmp_path / "shape.npy", good[:5])
    np.save(tmp_path / "dtype.npy", good.astype(np.float64))
    np.save(tmp_path / "big.npy", good.astype(">f4"))
    (tmp_path / "text.npy").write_text("hello, this is text")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "good.npy").read_bytes()[:-1])

    def error(*inputs, out=tmp_path / "out"):
        arguments = [word for pair in inputs for word in ("--input", pair)]
        return run_tool(
            "neuron-run",
            samples / "add.neff",
            *arguments,
            *("--output-dir", out, *INTERPRETER),
            expect=1,
        )

    a = f"a={tmp_path / 'good.npy'}"
    assert "input 'b' is missing" in error(a)
    assert "no input 'c'; it has 'a' (float32[256, 64])" in error(a, f"c={tmp_path / 'good.npy'}")
    assert "shape [5, 64]" in error(a, f"b={tmp_path / 'shape.npy'}")
    assert "dtype '<f8', but input 'b'" in error(a, f"b={tmp_path / 'dtype.npy'}")
    assert "no device tensor has" in error(a, f"b={tmp_path / 'big.npy'}")
    assert "not a .npy file" in error(a, f"b={tmp_path / 'text.npy'}")
    assert "bytes of data instead of" in error(a, f"b={tmp_path / 'cut.npy'}")
    assert "cannot open" in error(a, f"b={tmp_path / 'none.npy'}")
    b = f"b={tmp_path / 'good.npy'}"
    assert "cannot make the directory" in error(a, b, out="/proc/nothing/here")
    assert "usage" in run_tool("neuron-run", samples / "add.neff", expect=2)


def test_neuron_run_chooses_the_library(samples, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((256, 64), np.float32))

    def error(which, path=""):
        return run_tool(
            "neuron-run",
            samples / "add.neff",
            *("--input", f"a={tmp_path / 'x.npy'}", "--input", f"b={tmp_path / 'x.npy'}"),
            *("--output-dir", tmp_path),
            expect=1,
            env={"NEURON_MLIR_RUNTIME": which, "LD_LIBRARY_PATH": str(path)},
        )

    assert "use simulator, hardware, or the path" in error("trainium")
    assert "cannot load the Neuron runtime" in error(str(tmp_path / "libnrt.so.1"))
    assert "has no function nrt_init" in error("/lib/x86_64-linux-gnu/libz.so.1")
    if not pathlib.Path("/opt/aws/neuron").exists():
        assert "install aws-neuronx-runtime-lib" in error("hardware")
        # Not even when the loader finds ours first.
        assert "is neuron-mlir's simulator" in error("hardware", BIN.parent / "lib")

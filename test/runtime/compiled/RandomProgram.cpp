//===- RandomProgram.cpp - device programs for differential tests ---------===//
#include "test/runtime/compiled/RandomProgram.h"
#include "runtime/program/Verify.h"

namespace neuron::program {

namespace {

/// Bytes of a partition that the programs use.
constexpr uint32_t kArea = 4096;

constexpr DType kAll[] = {DType::Bool, DType::U8,  DType::I8,   DType::U16,
                          DType::I16,  DType::U32, DType::I32,  DType::U64,
                          DType::I64,  DType::F16, DType::BF16, DType::F32,
                          DType::F64};
constexpr DType kFloats[] = {DType::F32, DType::F32, DType::BF16, DType::F16};

} // namespace

RandomProgram::RandomProgram(unsigned seed, RandomProgramOptions options)
    : random(seed), options(options) {
  parts = uint16_t(any<int>({1, 2, 5, 128}));
  elems = any<int64_t>({1, 3, 8, 16, 37, 64, 100, 130});
}

DType RandomProgram::anyDType() {
  if (options.onlyFloat)
    return kFloats[below(std::size(kFloats))];
  return oneIn(2) ? kFloats[below(std::size(kFloats))]
                  : kAll[below(std::size(kAll))];
}

/// Tiles begin at few places, so that they meet, exactly or not.
Operand RandomProgram::anyTile(DType dtype, uint32_t count) {
  uint32_t bytes = bytesOf(dtype);
  uint8_t stride = oneIn(12) ? 2 : 1;
  uint32_t room = kArea / 4;
  uint32_t slot = uint32_t(below(oneIn(8) ? 8 : 4)) * (oneIn(8) ? 72 : 1024);
  uint32_t offset = slot / bytes * bytes;
  uint32_t reach = ((count - 1) * stride + 1) * bytes;
  while (offset + reach > kArea)
    offset -= std::min(offset, room);
  Operand result = tile(dtype, offset, count, stride);
  if (!counts.empty() && oneIn(6) && offset + reach + 2048 <= kArea)
    result = rotating(result, 2, 2048);
  if (oneIn(6)) // verify refuses it where it may not be
    result.offset += kPsumBase;
  return result;
}

Operand RandomProgram::anyImmediate(DType dtype) {
  if (dtype == DType::F32)
    return immediate(any<float>({0.0f, 1.0f, -1.5f, 0.125f, 1e30f, 3.0f}));
  if (dtype == DType::F64)
    return immediate(dtype, std::bit_cast<uint64_t>(any<double>({0.5, -2.0})));
  uint64_t bits = below(oneIn(3) ? 2 : 250);
  if (dtype == DType::Bool)
    bits &= 1;
  if (dtype == DType::I8)
    bits &= 127;
  return immediate(dtype, bits);
}

/// One element or an immediate, as Vector and Scalar take them.
Operand RandomProgram::anyScalar() {
  if (oneIn(2))
    return anyImmediate(DType::F32);
  Operand result = anyTile(DType::F32, 1);
  result.stride = 1;
  return result;
}

Fn RandomProgram::anyFunction(bool onEngine, unsigned arity, DType compute) {
  for (;;) {
    Fn fn = Fn(below(kNumFns));
    bool fits = onEngine ? runsOnVector(fn) : true;
    if (arity == 9) // of Scalar
      fits = runsOnScalar(fn);
    if (fits && isLegal(fn, compute) &&
        (arity == 9 || arity == 0 || info(fn).arity == arity))
      return fn;
  }
}

HbmAccess RandomProgram::anyWindow(uint32_t tensor, int64_t count,
                                   bool stores) {
  // Tensors are 512 x 160.
  HbmAccess access = b.window(tensor, 512, 160);
  if (!stores && oneIn(3)) {
    switch (below(4)) {
    case 0: // the same row for all
      access.rowStrides = {0};
      break;
    case 1: // the same column
      access.colStrides = {0};
      break;
    case 2: // transposed
      access = b.window(tensor, 160, 512);
      access.rowStrides = {1}, access.colStrides = {160};
      break;
    default: // columns in two dimensions
      access.colSizes = {16, 10};
      access.colStrides = {1, 16};
    }
  }
  int64_t rows = access.rowSizes[0];
  int64_t cols = access.colSizes[0] *
                 (access.colSizes.size() > 1 ? access.colSizes[1] : 1);
  access.row = affine(oneIn(2) ? 0 : int64_t(below(8)));
  access.column = affine(oneIn(2) ? 0 : int64_t(below(8)));
  for (size_t i = 0; i < counts.size(); ++i) {
    if (oneIn(2))
      access.row.coefficients[i] = any<int64_t>({int64_t(parts), 1, 128});
    if (oneIn(4))
      access.column.coefficients[i] = any<int64_t>({1, count});
  }
  (void)rows, (void)cols; // what does not fit, verify refuses
  return access;
}

Instruction RandomProgram::anyTensorInstruction() {
  Instruction it;
  it.engine = Unit::Tensor;
  it.parts = oneIn(4) ? uint16_t(1 + below(128)) : parts;
  auto rows = uint32_t(any<int>({1, 3, 6, 7, 13, 64, 127, 128}));
  DType dtype = kFloats[below(std::size(kFloats))];
  if (oneIn(3)) {
    it.opcode = Opcode::Transpose;
    it.src[0] = anyTile(dtype, rows);
    it.dst = anyTile(dtype, it.parts);
  } else {
    it.opcode = Opcode::Matmul;
    it.src[0] = anyTile(dtype, rows);
    it.src[1] = anyTile(dtype, uint32_t(elems));
    it.dst = anyTile(DType::F32, uint32_t(elems));
  }
  if (!it.dst.isInPsum())
    it.dst.offset += kPsumBase;
  return it;
}

/// A part of what a move has written, or any tile.
Operand RandomProgram::anyRecent(DType dtype, uint32_t elems) {
  for (int tries = 0; tries < 10 && !recent.empty(); ++tries) {
    Operand tile =
        recent[recent.size() - 1 - below(std::min<size_t>(recent.size(), 6))];
    if (tile.dtype != dtype || tile.elems < elems)
      continue;
    if (oneIn(2))
      tile.offset +=
          uint32_t(below(tile.elems - elems + 1)) * bytesOf(tile.dtype);
    tile.elems = elems;
    return tile;
  }
  return anyTile(dtype, elems);
}

Instruction RandomProgram::anyMove() {
  Instruction it;
  it.parts = oneIn(4) ? any<uint16_t>({16, 64, 128}) : parts;
  DType dtype = any<DType>({DType::F32, DType::F32, DType::BF16});
  auto width = any<uint32_t>({16, 64, 128, uint32_t(elems)});
  auto written = [&](Operand tile) {
    tile.stride = 1;
    uint32_t offset = recent.empty() ? 0 : any(recent).offset % kPsumBase;
    uint32_t reach = tile.elems * bytesOf(tile.dtype);
    if (oneIn(3) && tile.buffers == 1 && offset + reach <= kArea)
      tile.offset = offset; // over something
    return tile;
  };
  switch (below(6)) {
  case 0:
    it.opcode = Opcode::DmaLoad;
    it.engine = Unit::Sync;
    it.queue = queue(0);
    it.dst = written(anyTile(dtype, width));
    for (uint32_t tensor : loadable)
      if (b.program.tensors[tensor].dtype == dtype &&
          (oneIn(2) || !it.hbm.tensor))
        it.hbm = anyWindow(tensor, width, false);
    break;
  case 1:
    it.opcode = Opcode::DmaStore;
    it.engine = Unit::Sync;
    it.queue = queue(1);
    it.hbm = anyWindow(any(stored), width, true);
    it.src[0] = anyRecent(b.program.tensors[it.hbm.tensor].dtype, width);
    break;
  case 2:
    it.opcode = Opcode::TensorCopy;
    it.engine = Unit::Vector;
    it.src[0] = anyRecent(dtype, width);
    it.dst = written(anyTile(dtype, width));
    break;
  case 3:
  case 4:
    it.opcode = Opcode::Transpose;
    it.engine = Unit::Tensor;
    it.src[0] = anyRecent(dtype, std::min(width, 128u));
    it.dst = written(anyTile(dtype, it.parts));
    it.dst.offset |= kPsumBase;
    break;
  default:
    it.opcode = Opcode::Matmul;
    it.engine = Unit::Tensor;
    it.src[0] = anyRecent(dtype, oneIn(4) ? 1 : std::min(width, 128u));
    it.src[1] = anyRecent(dtype, uint32_t(elems));
    it.dst = written(anyTile(DType::F32, uint32_t(elems)));
    it.dst.offset |= kPsumBase;
  }
  return it;
}

Instruction RandomProgram::anyInstruction(unsigned depth) {
  (void)depth;
  if (options.mostlyMoves && !oneIn(6))
    return anyMove();
  if (oneIn(6))
    return anyTensorInstruction();
  Instruction it;
  it.parts = oneIn(8) ? uint16_t(1 + below(parts)) : parts;
  int64_t n = oneIn(4) ? 1 : elems;
  auto tileOf = [&](DType dtype) { return anyTile(dtype, uint32_t(n)); };
  auto singleTile = [&](DType dtype) {
    Operand result = anyTile(dtype, 1);
    result.stride = 1;
    return result;
  };
  auto narrow = [&] {
    DType dtype;
    do
      dtype = anyDType();
    while (bytesOf(dtype) == 8 || dtype == DType::Bool);
    return dtype;
  };
  // An operand that is one element, repeated.
  auto maybeRepeated = [&](Operand tile) {
    if (tile.isTile() && oneIn(8))
      tile.stride = 0;
    return tile;
  };
  switch (below(options.onlyFloat ? 10 : 16)) {
  case 0:
  case 10: {
    it.opcode = Opcode::DmaLoad;
    it.engine = Unit::Sync;
    it.queue = queue(0);
    uint32_t tensor = oneIn(4) ? any(loadable) : any(inputs);
    it.dst = tileOf(b.program.tensors[tensor].dtype);
    it.hbm = anyWindow(tensor, n, false);
    break;
  }
  case 1: {
    it.opcode = Opcode::DmaStore;
    it.engine = Unit::Sync;
    it.queue = queue(1);
    uint32_t tensor = any(stored);
    it.src[0] = tileOf(b.program.tensors[tensor].dtype);
    it.hbm = anyWindow(tensor, n, true);
    break;
  }
  case 2:
    it.opcode = Opcode::TensorTensor;
    it.dst = tileOf(narrow());
    it.src[0] = maybeRepeated(tileOf(narrow()));
    it.src[1] = maybeRepeated(tileOf(narrow()));
    it.fn[0] = anyFunction(true, 2, DType::F32);
    break;
  case 3:
    it.opcode = Opcode::TensorScalar;
    it.dst = tileOf(narrow());
    it.src[0] = maybeRepeated(tileOf(narrow()));
    it.src[1] = anyScalar();
    it.fn = {anyFunction(true, 2, DType::F32),
             anyFunction(true, 2, DType::F32)};
    if (oneIn(2))
      it.src[2] = anyScalar();
    else
      it.fn[1] = Fn::identity;
    it.reverse = {oneIn(3), it.src[2].kind != Operand::Kind::None && oneIn(3)};
    break;
  case 4:
    it.opcode = Opcode::ScalarTensorTensor;
    it.dst = tileOf(narrow());
    it.src[0] = tileOf(narrow());
    it.src[1] = anyScalar();
    it.src[2] = tileOf(narrow());
    it.fn = {anyFunction(true, 2, DType::F32),
             anyFunction(true, 2, DType::F32)};
    it.reverse = {oneIn(3), oneIn(3)};
    break;
  case 5:
    it.opcode = Opcode::TensorReduce;
    it.dst = singleTile(narrow());
    it.src[0] = maybeRepeated(tileOf(narrow()));
    it.fn[0] = any<Fn>({Fn::add, Fn::hw_max, Fn::hw_min});
    it.accumulate = oneIn(3) ? Accumulate::Yes : Accumulate::No;
    break;
  case 6:
  case 7:
    it.opcode = Opcode::Activation;
    it.engine = Unit::Scalar;
    it.src[0] = tileOf(narrow());
    it.fn[0] = anyFunction(false, 9, DType::F32);
    if (oneIn(2))
      it.src[1] = anyScalar();
    if (oneIn(2))
      it.src[2] = anyScalar();
    if (oneIn(2)) {
      it.acc = singleTile(DType::F32);
      it.accumulate = oneIn(3) ? Accumulate::Yes : Accumulate::No;
    }
    if (!it.acc.isTile() || oneIn(2))
      it.dst = tileOf(narrow());
    break;
  case 9:
    it.opcode = Opcode::TensorTensorScan;
    it.src[0] = maybeRepeated(tileOf(narrow()));
    it.src[1] = maybeRepeated(tileOf(narrow()));
    it.dst = oneIn(3) ? it.src[below(2)] : tileOf(narrow()); // in place
    it.src[2] = anyScalar();
    it.fn = {anyFunction(true, 2, DType::F32),
             anyFunction(true, 2, DType::F32)};
    it.reverse = {oneIn(3), oneIn(3)};
    break;
  case 8:
  case 11:
    if (oneIn(3)) {
      it.opcode = Opcode::Reciprocal;
      it.dst = tileOf(narrow());
      it.src[0] = tileOf(narrow());
    } else if (oneIn(2)) {
      it.opcode = Opcode::TensorCopy;
      it.dst = tileOf(anyDType());
      it.src[0] = maybeRepeated(tileOf(oneIn(2) ? it.dst.dtype : narrow()));
    } else {
      it.opcode = Opcode::Select;
      it.dst = tileOf(anyDType());
      it.src[0] = tileOf(DType::Bool);
      it.src[1] = oneIn(4) ? anyImmediate(it.dst.dtype) : tileOf(it.dst.dtype);
      it.src[2] = tileOf(oneIn(2) ? it.dst.dtype : narrow());
    }
    break;
  case 12:
    it.opcode = Opcode::Iota;
    it.engine = Unit::GpSimd;
    it.dst = tileOf(anyDType());
    it.index = affine(int64_t(below(100)) - 50);
    for (size_t i = 0; i < counts.size(); ++i)
      it.index.coefficients[i] = int64_t(below(20)) - 10;
    it.rowStep = int64_t(below(5)) - 2;
    it.step = int64_t(below(5)) - 2;
    break;
  case 13:
  case 14: {
    it.opcode = Opcode::GpsimdElementwise;
    it.engine = Unit::GpSimd;
    do
      it.compute = anyDType();
    while (it.compute == DType::F16 || it.compute == DType::BF16);
    it.fn[0] = anyFunction(false, 0, it.compute);
    it.dst = tileOf(oneIn(2) ? it.compute : anyDType());
    for (unsigned i = 0; i < info(it.fn[0]).arity; ++i) {
      bool isCondition = it.fn[0] == Fn::select && i == 0;
      DType dtype = isCondition ? DType::Bool : it.compute;
      it.src[i] = oneIn(4) ? anyImmediate(dtype)
                           : maybeRepeated(tileOf(
                                 isCondition || oneIn(2) ? dtype : anyDType()));
    }
    break;
  }
  default: {
    it.opcode = Opcode::GpsimdReduce;
    it.engine = Unit::GpSimd;
    do
      it.compute = anyDType();
    while (it.compute == DType::F16 || it.compute == DType::BF16);
    it.reduce = Instruction::Reduce(below(8));
    it.src[0] = maybeRepeated(tileOf(oneIn(2) ? it.compute : anyDType()));
    bool isArg = it.reduce >= Instruction::Reduce::ArgMax;
    it.dst = singleTile(isArg ? DType::I64 : anyDType());
    it.accumulate = oneIn(3) ? Accumulate::Yes : Accumulate::No;
    if (isArg && (it.accumulate == Accumulate::Yes || oneIn(2)))
      it.acc = singleTile(it.compute);
    break;
  }
  }
  return it;
}

/// Adds the instruction if the program stays valid.
bool RandomProgram::append(std::vector<Node> &body, Instruction it) {
  Program probe = b.program;
  // What matters for its validity is the loops around it.
  std::vector<Node> nodes = {it};
  for (size_t i = counts.size(); i-- > 0;)
    nodes = {Loop{counts[i], nodes}};
  probe.kernels = {{"k", nodes}};
  if (!verify(probe).ok())
    return false;
  body.push_back(it);
  body.push_back(Barrier{});
  if (options.mostlyMoves && it.dst.isTile())
    recent.push_back(it.dst);
  // Onto what it has written.
  if (it.opcode == Opcode::Matmul && oneIn(2)) {
    it.accumulate = Accumulate::Yes;
    body.push_back(std::move(it));
    body.push_back(Barrier{});
  }
  return true;
}

/// A gather or a scatter, and before it what makes its indices; or a scan, a
/// sort, random numbers.
void RandomProgram::addIndexed(std::vector<Node> &body) {
  for (int tries = 0; tries < 100; ++tries) {
    Instruction it;
    it.parts = parts;
    it.engine = Unit::GpSimd;
    auto n = uint32_t(oneIn(4) ? 1 : elems);
    uint32_t count = oneIn(3) ? 1 : n;
    Operand places = anyTile(DType::I64, count);
    if (oneIn(2)) {
      bool scatters = oneIn(2);
      uint32_t tensor = scatters ? any(stored) : any(inputs);
      it.opcode = scatters ? Opcode::DmaScatter : Opcode::DmaGather;
      it.queue = queue(scatters ? 3 : 2);
      it.hbm = anyWindow(tensor, n, true);
      it.hbm.rowSizes = {128};
      it.hbm.rowStrides = {any<int64_t>({0, 1, 160})};
      it.hbm.indexStride = any<int64_t>({1, 160});
      it.hbm.indexBound = 300;
      Operand moved = anyTile(b.program.tensors[tensor].dtype, n);
      (scatters ? it.src[0] : it.dst) = moved;
      it.src[scatters ? 1 : 0] = places;
      if (scatters && oneIn(2)) {
        it.accumulate = Accumulate::Yes;
        it.compute = any<DType>({DType::F32, DType::I64, DType::F64});
        it.reduce = Instruction::Reduce(below(4));
      }
      Instruction iota;
      iota.opcode = Opcode::Iota;
      iota.engine = Unit::GpSimd;
      iota.parts = parts;
      iota.dst = places;
      iota.index = affine(int64_t(below(20)));
      iota.rowStep = int64_t(below(3));
      iota.step = oneIn(2) ? 0 : 1; // many of one place, or none
      std::vector<Node> both;
      if (append(both, iota) && append(both, it)) {
        body.insert(body.end(), both.begin(), both.end());
        return;
      }
      continue;
    }
    it.opcode = any<Opcode>(
        {Opcode::GpsimdScan, Opcode::GpsimdSort, Opcode::GpsimdRandom});
    it.src[0] = anyTile(anyDType(), n);
    it.dst = anyTile(anyDType(), n);
    it.compute = anyDType();
    if (it.opcode == Opcode::GpsimdScan) {
      it.reduce = any<Instruction::Reduce>(
          {Instruction::Reduce::Sum, Instruction::Reduce::Prod,
           Instruction::Reduce::Max, Instruction::Reduce::Min,
           Instruction::Reduce::LogAddExp});
      it.acc = anyTile(it.compute, 1);
      it.accumulate = oneIn(2) ? Accumulate::Yes : Accumulate::No;
    } else if (it.opcode == Opcode::GpsimdSort) {
      it.dst = anyTile(it.src[0].dtype, n);
      it.acc = places;
      it.acc.elems = n;
      it.reverse[0] = oneIn(2);
    } else {
      it.src[0] = anyTile(DType::I64, 1);
      it.index = affine(int64_t(below(100)));
      it.rowStep = int64_t(below(5));
      it.step = int64_t(below(3));
    }
    if (append(body, it))
      return;
  }
}

void RandomProgram::addNodes(std::vector<Node> &body, unsigned depth,
                             unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (depth < 3 && oneIn(6)) {
      Loop loop{1 + int64_t(below(3)), {}};
      counts.push_back(loop.count);
      addNodes(loop.body, depth + 1, count / 2 + 1);
      counts.pop_back();
      body.push_back(std::move(loop));
      continue;
    }
    if (!options.onlyFloat && oneIn(8)) {
      addIndexed(body);
      continue;
    }
    for (int tries = 0; tries < 200; ++tries)
      if (append(body, anyInstruction(depth)))
        break;
  }
}

Program RandomProgram::make() {
  auto add = [&](TensorKind kind, DType dtype) {
    std::string name = "t" + std::to_string(b.program.tensors.size());
    return b.tensor(name.c_str(), kind, dtype, {512, 160});
  };
  for (int i = 0; i < 4; ++i)
    inputs.push_back(add(TensorKind::Input, !options.mostlyMoves ? anyDType()
                                            : i % 2              ? DType::BF16
                                                                 : DType::F32));
  // Outputs that take the place of inputs can be loaded before any store.
  for (uint32_t input : {inputs[0], inputs[1]}) {
    uint32_t inPlace = add(TensorKind::Output, b.program.tensors[input].dtype);
    b.program.tensors[inPlace].aliasedInput = int32_t(input);
    loadable.push_back(inPlace);
    stored.push_back(inPlace);
  }
  stored.push_back(add(TensorKind::Output, anyDType()));
  uint32_t dump = b.tensor("dump", TensorKind::Output, DType::U8, {128, kArea});
  uint32_t psumDump =
      b.tensor("psum_dump", TensorKind::Output, DType::U8, {128, kArea});
  uint32_t start =
      b.tensor("start", TensorKind::Input, DType::U8, {128, kArea});
  b.kernel("k");
  Operand all = tile(DType::U8, 0, kArea);
  b.load(Unit::Sync, queue(0), 128, all, b.window(start, 128, kArea));
  b.barrier();
  Operand allOfPsum = psumTile(DType::U8, 0, kArea);
  b.copy(Unit::Vector, 128, allOfPsum, all);
  b.barrier();
  addNodes(b.program.kernels[0].body, 0, options.instructions);
  if (!options.storesAllOfSbuf)
    return b.program;
  b.store(Unit::Sync, queue(1), 128, b.window(dump, 128, kArea), all);
  b.barrier();
  b.copy(Unit::Vector, 128, all, allOfPsum);
  b.barrier();
  b.store(Unit::Sync, queue(1), 128, b.window(psumDump, 128, kArea), all);
  return b.program;
}

} // namespace neuron::program

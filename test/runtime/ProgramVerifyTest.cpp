//===- ProgramVerifyTest.cpp - each rule of Verify.h ----------------------===//
//
// A valid program, and for every rule a change that breaks it.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Verify.h"
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace neuron;
using namespace neuron::program;

namespace {

constexpr DType f32 = DType::F32;

/// Positions of the instructions of `valid`, all in one loop of two iterations.
enum At {
  Load,
  Scalar,
  Act,
  Reduce,
  Gpsimd,
  ArgMax,
  Turn,
  Product,
  Evict,
  Store
};

/// out = relu-ish(x * 2 + bias), with some more instructions beside.
Builder valid() {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {256, 64});
  auto y = b.tensor("y", TensorKind::Output, f32, {256, 64});
  b.tensor("c", TensorKind::Constant, f32, {64});
  b.at("layer/mul");
  b.kernel("k");
  b.loop(2);
  Operand in = rotating(tile(f32, 0, 64), 2, 256);
  b.load(Unit::Sync, queue(0), 128, in, b.window(x, 256, 64, affine(0, {128})))
      .signal = true;
  b.tensorScalar(128, tile(f32, 512, 64), in, Fn::mul, immediate(2.0f), Fn::add,
                 immediate(1.0f))
      .waits = {waitFor(queue(0), 1, {1})};
  b.activation(128, tile(f32, 768, 64), Fn::exp, in, {}, tile(f32, 512, 1),
               tile(f32, 1024, 1))
      .signal = true;
  b.reduce(128, tile(f32, 1028, 1), Fn::add, in);
  b.gpsimd(128, tile(DType::I64, 2048, 64), Fn::floor_div, DType::I64,
           {in, immediate(DType::I64, 3)});
  b.gpsimdReduce(128, tile(DType::I64, 1032, 1), Instruction::Reduce::ArgMax,
                 f32, in, tile(f32, 1040, 1));
  b.transpose(128, psumTile(f32, 2048, 128), tile(f32, 0, 64));
  b.matmul(128, psumTile(f32, 0, 512), tile(f32, 2560, 128),
           tile(f32, 4096, 512), Accumulate::Yes);
  b.tensorTensor(128, tile(f32, 8192, 512), Fn::add, psumTile(f32, 0, 512),
                 tile(f32, 4096, 512));
  b.store(Unit::Sync, queue(1), 128, b.window(y, 256, 64, affine(0, {128})),
          tile(f32, 768, 64))
      .waits = {waitFor(Unit::Scalar, 1, {1})};
  b.end();
  return b;
}

Loop &loopOf(Program &program) {
  return std::get<Loop>(program.kernels[0].body[0]);
}
Instruction &at(Program &program, At index) {
  return std::get<Instruction>(loopOf(program).body[index]);
}

struct Case {
  const char *name;
  Rule rule;
  std::function<void(Program &)> breakIt;
};

template <typename Enum> Enum outside() { return static_cast<Enum>(200); }

const Case kCases[] = {
    {"unknown target", Rule::Target, [](Program &p) { p.target = "trn9"; }},
    {"tensor kind", Rule::Enumerators,
     [](Program &p) { p.tensors[0].kind = outside<TensorKind>(); }},
    {"tensor dtype", Rule::Enumerators,
     [](Program &p) { p.tensors[0].dtype = outside<DType>(); }},
    {"opcode", Rule::Enumerators,
     [](Program &p) { at(p, Act).opcode = outside<Opcode>(); }},
    {"function", Rule::Enumerators,
     [](Program &p) { at(p, Act).fn[0] = outside<Fn>(); }},
    {"engine", Rule::Enumerators,
     [](Program &p) { at(p, Act).engine = Unit::Queue0; }},
    {"queue that is an engine", Rule::Enumerators,
     [](Program &p) { at(p, Load).queue = Unit::Sync; }},
    {"queue beyond the last", Rule::Enumerators,
     [](Program &p) { at(p, Load).queue = queue(16); }},
    {"compute dtype", Rule::Enumerators,
     [](Program &p) { at(p, Gpsimd).compute = outside<DType>(); }},
    {"operand kind", Rule::Enumerators,
     [](Program &p) { at(p, Act).dst.kind = outside<Operand::Kind>(); }},
    {"operand dtype", Rule::Enumerators,
     [](Program &p) { at(p, Act).src[0].dtype = outside<DType>(); }},
    {"reduction", Rule::Enumerators,
     [](Program &p) { at(p, ArgMax).reduce = outside<Instruction::Reduce>(); }},
    {"accumulation", Rule::Enumerators,
     [](Program &p) { at(p, ArgMax).accumulate = outside<Accumulate>(); }},
    {"semaphore", Rule::Enumerators,
     [](Program &p) { at(p, Store).waits[0].semaphore = queue(16); }},
    {"no locations", Rule::Locations, [](Program &p) { p.locations.clear(); }},
    {"location out of range", Rule::Locations,
     [](Program &p) { at(p, Act).location = 2; }},
    {"nameless tensor", Rule::Tensors,
     [](Program &p) { p.tensors[0].name.clear(); }},
    {"two tensors of a name", Rule::Tensors,
     [](Program &p) { p.tensors[0].name = "y"; }},
    {"missing stride", Rule::Tensors,
     [](Program &p) { p.tensors[0].strides.pop_back(); }},
    {"negative size", Rule::Tensors,
     [](Program &p) { p.tensors[0].shape[0] = -1; }},
    {"span too small", Rule::Tensors, [](Program &p) { p.tensors[0].span--; }},
    {"span beyond 64 bits", Rule::Tensors,
     [](Program &p) { p.tensors[0].strides = {INT64_MAX / 2, INT64_MAX / 2}; }},
    {"rank", Rule::Tensors,
     [](Program &p) {
       p.tensors[0].shape.assign(65, 1);
       p.tensors[0].strides.assign(65, 1);
     }},
    {"a tensor larger than HBM", Rule::Hbm,
     [](Program &p) {
       p.tensors[0].shape = {int64_t(1) << 40};
       p.tensors[0].strides = {1};
       p.tensors[0].span = int64_t(1) << 40;
     }},
    {"tensors larger than HBM", Rule::Hbm,
     [](Program &p) {
       for (int i = 0; i < 2; ++i) {
         p.tensors[i].shape = {int64_t(3) << 30};
         p.tensors[i].strides = {1};
         p.tensors[i].span = int64_t(3) << 30;
       }
       p.tensors.push_back(p.tensors[0]);
       p.tensors.back().name = "z";
     }},
    {"constant without data", Rule::Constants,
     [](Program &p) { p.tensors[2].data.pop_back(); }},
    {"input with data", Rule::Constants,
     [](Program &p) { p.tensors[0].data.resize(4); }},
    {"alias of a constant", Rule::Aliases,
     [](Program &p) { p.tensors[1].aliasedInput = 2; }},
    {"alias of nothing", Rule::Aliases,
     [](Program &p) { p.tensors[1].aliasedInput = 3; }},
    {"negative alias", Rule::Aliases,
     [](Program &p) { p.tensors[1].aliasedInput = -2; }},
    {"loop of no iterations", Rule::Loops,
     [](Program &p) { loopOf(p).count = 0; }},
    {"loop of too many iterations", Rule::Loops,
     [](Program &p) { loopOf(p).count = INT64_MAX; }},
    {"five loops", Rule::Loops,
     [](Program &p) {
       for (int i = 0; i < 4; ++i)
         p.kernels[0].body = {Loop{1, std::move(p.kernels[0].body)}};
     }},
    {"too long", Rule::Length,
     [](Program &p) {
       p.kernels.push_back({"long", {Loop{kMaxExecuted / 2, {Barrier{}}}}});
       p.kernels.push_back({"long", {Loop{kMaxExecuted / 2, {Barrier{}}}}});
     }},
    {"loops of nothing", Rule::Length,
     [](Program &p) {
       p.kernels.push_back({"idle", {Loop{1 << 20, {Loop{1 << 20, {}}}}}});
     }},
    {"activation on Vector", Rule::Engines,
     [](Program &p) { at(p, Act).engine = Unit::Vector; }},
    {"DMA of Vector", Rule::Engines,
     [](Program &p) { at(p, Load).engine = Unit::Vector; }},
    {"one queue, two engines", Rule::Queues,
     [](Program &p) {
       at(p, Store).queue = queue(0);
       at(p, Store).engine = Unit::Scalar;
     }},
    {"no partition", Rule::Partitions,
     [](Program &p) { at(p, Act).parts = 0; }},
    {"129 partitions", Rule::Partitions,
     [](Program &p) { at(p, Act).parts = 129; }},
    {"missing dst", Rule::Operands, [](Program &p) { at(p, Load).dst = {}; }},
    {"neither dst nor acc", Rule::Operands,
     [](Program &p) { at(p, Act).dst = at(p, Act).acc = {}; }},
    {"superfluous source", Rule::Operands,
     [](Program &p) { at(p, Reduce).src[1] = tile(f32, 0, 64); }},
    {"immediate for a tile", Rule::Operands,
     [](Program &p) { at(p, Scalar).src[0] = immediate(1.0f); }},
    {"missing operand of a function", Rule::Operands,
     [](Program &p) { at(p, Gpsimd).src[1] = {}; }},
    {"acc of a sum", Rule::Operands,
     [](Program &p) { at(p, ArgMax).reduce = Instruction::Reduce::Sum; }},
    {"accumulating arg-reduction without acc", Rule::Operands,
     [](Program &p) {
       at(p, ArgMax).acc = {};
       at(p, ArgMax).accumulate = Accumulate::Yes;
     }},
    {"elements differ", Rule::Elements,
     [](Program &p) { at(p, Scalar).dst.elems = 63; }},
    {"no elements", Rule::Elements,
     [](Program &p) { at(p, Load).dst.elems = 0; }},
    {"scalar of two elements", Rule::Elements,
     [](Program &p) { at(p, Act).src[2].elems = 2; }},
    {"written over and over", Rule::Elements,
     [](Program &p) { at(p, Scalar).dst.stride = 0; }},
    {"beyond SBUF", Rule::Tiles,
     [](Program &p) { at(p, Scalar).dst.offset = 212984 - 252; }},
    {"beyond SBUF by rotation", Rule::Tiles,
     [](Program &p) { at(p, Load).dst.pitch = 212984 - 252; }},
    {"beyond 32 bits", Rule::Tiles,
     [](Program &p) { at(p, Scalar).dst.offset = 0xfffffffc; }},
    {"unaligned", Rule::Tiles,
     [](Program &p) { at(p, Scalar).dst.offset = 514; }},
    {"unaligned rotation", Rule::Tiles,
     [](Program &p) { at(p, Load).dst.pitch = 258; }},
    {"no buffer", Rule::Tiles, [](Program &p) { at(p, Load).dst.buffers = 0; }},
    {"endless repetition", Rule::Tiles,
     [](Program &p) { at(p, Reduce).src[0] = tile(f32, 0, 0xffffffff, 0); }},
    {"rotation outside of loops", Rule::Tiles,
     [](Program &p) { p.kernels.push_back({"flat", {Node(at(p, Reduce))}}); }},
    {"partial overlap", Rule::Overlap,
     [](Program &p) { at(p, Act).dst.offset = 4; }},
    {"result over a scalar operand", Rule::Overlap,
     [](Program &p) { at(p, Act).dst.offset = 512; }},
    {"reduction onto its source", Rule::Overlap,
     [](Program &p) { at(p, Reduce).dst.offset = 256; }},
    {"dst and acc", Rule::Overlap,
     [](Program &p) { at(p, Act).acc.offset = 768; }},
    {"immediate too wide", Rule::Immediates,
     [](Program &p) { at(p, Scalar).src[1].bits = uint64_t(1) << 32; }},
    {"half a truth", Rule::Immediates,
     [](Program &p) {
       at(p, Scalar).opcode = Opcode::Memset;
       at(p, Scalar).dst = tile(DType::Bool, 512, 64);
       at(p, Scalar).src = {immediate(DType::Bool, 2)};
     }},
    {"DMA that casts", Rule::DTypes,
     [](Program &p) { at(p, Load).dst.dtype = DType::I32; }},
    {"64 bits on Vector", Rule::DTypes,
     [](Program &p) { at(p, Scalar).dst = tile(DType::F64, 4096, 64); }},
    {"integer immediate", Rule::DTypes,
     [](Program &p) { at(p, Scalar).src[1].dtype = DType::I32; }},
    {"bool of a sum", Rule::DTypes,
     [](Program &p) { at(p, Scalar).dst.dtype = DType::Bool; }},
    {"index that is no int64", Rule::DTypes,
     [](Program &p) { at(p, ArgMax).dst.dtype = DType::I32; }},
    {"acc of another dtype", Rule::DTypes,
     [](Program &p) { at(p, Act).acc.dtype = DType::I32; }},
    {"sum of bools in bool", Rule::DTypes,
     [](Program &p) {
       at(p, ArgMax).acc = {};
       at(p, ArgMax).reduce = Instruction::Reduce::Sum;
       at(p, ArgMax).compute = DType::Bool;
     }},
    {"condition that is no bool", Rule::DTypes,
     [](Program &p) {
       Instruction &it = at(p, Gpsimd);
       it.fn[0] = Fn::select;
       it.src = {it.src[0], it.src[0], it.src[0]};
     }},
    {"sin on Scalar", Rule::Functions,
     [](Program &p) { at(p, Act).fn[0] = Fn::sin; }},
    {"gcd of floats", Rule::Functions,
     [](Program &p) {
       at(p, Gpsimd).fn[0] = Fn::gcd;
       at(p, Gpsimd).compute = f32;
       at(p, Gpsimd).src[1] = immediate(3.0f);
     }},
    {"compute in bfloat16", Rule::Functions,
     [](Program &p) { at(p, Gpsimd).compute = DType::BF16; }},
    {"reduce by mul", Rule::Functions,
     [](Program &p) { at(p, Reduce).fn[0] = Fn::mul; }},
    {"unary function of two operands", Rule::Functions,
     [](Program &p) { at(p, Scalar).fn[1] = Fn::abs; }},
    {"swap that no one heeds", Rule::Functions,
     [](Program &p) { at(p, Act).reverse[0] = true; }},
    {"accumulating elementwise", Rule::Accumulation,
     [](Program &p) { at(p, Scalar).accumulate = Accumulate::Yes; }},
    {"tensor out of range", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.tensor = 3; }},
    {"rows of a later iteration", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.row = affine(1, {128}); }},
    {"negative rows", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.row = affine(0, {-128}); }},
    {"columns", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.column = affine(1); }},
    {"matrix beyond the tensor", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.offset = 1; }},
    {"matrix before the tensor", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.rowStrides = {-64}; }},
    {"matrix beyond 64 bits", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.rowStrides = {INT64_MAX}; }},
    {"sizes beyond 64 bits", Rule::Windows,
     [](Program &p) {
       at(p, Load).hbm.rowSizes = {INT64_MAX, INT64_MAX};
       at(p, Load).hbm.rowStrides = {0, 0};
     }},
    {"size without stride", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.colStrides.clear(); }},
    {"no rows", Rule::Windows,
     [](Program &p) { at(p, Load).hbm.rowSizes = {0}; }},
    {"store to an input", Rule::Direction,
     [](Program &p) { at(p, Store).hbm.tensor = 0; }},
    {"store to a constant", Rule::Direction,
     [](Program &p) {
       at(p, Store).hbm = Builder::window(2, 256, 64);
       at(p, Store).hbm.rowStrides = {0};
     }},
    {"store that broadcasts", Rule::Distinct,
     [](Program &p) { at(p, Store).hbm.rowStrides = {0}; }},
    {"store that overlaps", Rule::Distinct,
     [](Program &p) { at(p, Store).hbm.rowStrides = {63}; }},
    {"counter of no loop", Rule::Affine,
     [](Program &p) { at(p, Load).hbm.row.coefficients[1] = 1; }},
    {"wait beyond 64 bits", Rule::Affine,
     [](Program &p) { at(p, Store).waits[0].value = affine(INT64_MAX, {1}); }},
    {"index beyond 64 bits", Rule::Affine,
     [](Program &p) { at(p, ArgMax).index = affine(INT64_MAX - 62); }},
    {"tile between SBUF and PSUM", Rule::Tiles,
     [](Program &p) { at(p, Scalar).dst.offset = kPsumBase - 4; }},
    {"tile behind PSUM", Rule::Tiles,
     [](Program &p) { at(p, Scalar).dst.offset = kPsumBase + 16384 - 8; }},
    {"load to PSUM", Rule::Psum,
     [](Program &p) { at(p, Load).dst = psumTile(f32, 0, 64); }},
    {"store of PSUM", Rule::Psum,
     [](Program &p) { at(p, Store).src[0] = psumTile(f32, 0, 64); }},
    {"GpSimd reads PSUM", Rule::Psum,
     [](Program &p) { at(p, Gpsimd).src[0] = psumTile(f32, 0, 64); }},
    {"GpSimd writes PSUM", Rule::Psum,
     [](Program &p) { at(p, Gpsimd).dst = psumTile(f32, 0, 64); }},
    {"matmul to SBUF", Rule::Psum,
     [](Program &p) { at(p, Product).dst = tile(f32, 16384, 512); }},
    {"matmul of PSUM", Rule::Psum,
     [](Program &p) { at(p, Product).src[1] = psumTile(f32, 4096, 512); }},
    {"transpose of PSUM", Rule::Psum,
     [](Program &p) { at(p, Turn).src[0] = psumTile(f32, 0, 64); }},
    {"matmul over two banks", Rule::Banks,
     [](Program &p) { at(p, Product).dst.offset += 4; }},
    {"transpose over two banks in its second buffer", Rule::Banks,
     [](Program &p) {
       at(p, Turn).dst = rotating(psumTile(f32, 0, 128), 2, 1600);
     }},
    {"two streams in PSUM", Rule::PsumStreams,
     [](Program &p) { at(p, Evict).src[1] = psumTile(f32, 2048, 512); }},
    {"stationary operand too wide", Rule::TensorSizes,
     [](Program &p) { at(p, Product).src[0].elems = 129; }},
    {"moving operand too wide", Rule::TensorSizes,
     [](Program &p) {
       at(p, Product).src[1].elems = 513;
       at(p, Product).dst.elems = 513;
     }},
    {"matmul of other columns", Rule::TensorSizes,
     [](Program &p) { at(p, Product).dst.elems = 511; }},
    {"strided matmul", Rule::TensorSizes,
     [](Program &p) { at(p, Product).src[1].stride = 2; }},
    {"repeated stationary operand", Rule::TensorSizes,
     [](Program &p) { at(p, Product).src[0].stride = 0; }},
    {"transpose to other columns", Rule::TensorSizes,
     [](Program &p) { at(p, Turn).dst.elems = 127; }},
    {"transpose too wide", Rule::TensorSizes,
     [](Program &p) { at(p, Turn).src[0].elems = 129; }},
    {"matmul of two dtypes", Rule::DTypes,
     [](Program &p) { at(p, Product).src[0].dtype = DType::BF16; }},
    {"matmul of integers", Rule::DTypes,
     [](Program &p) {
       at(p, Product).src[0].dtype = at(p, Product).src[1].dtype = DType::I32;
     }},
    {"matmul to bfloat16", Rule::DTypes,
     [](Program &p) { at(p, Product).dst.dtype = DType::BF16; }},
    {"transpose of bytes", Rule::DTypes,
     [](Program &p) {
       at(p, Turn).src[0].dtype = at(p, Turn).dst.dtype = DType::U8;
     }},
    {"transpose that converts", Rule::DTypes,
     [](Program &p) { at(p, Turn).dst.dtype = DType::I32; }},
    {"Vector multiplies matrices", Rule::Engines,
     [](Program &p) { at(p, Product).engine = Unit::Vector; }},
    {"accumulating transpose", Rule::Accumulation,
     [](Program &p) { at(p, Turn).accumulate = Accumulate::Yes; }},
    {"matmul with a third operand", Rule::Operands,
     [](Program &p) { at(p, Product).src[2] = tile(f32, 0, 1); }},
    {"wait for a silent unit", Rule::Waits,
     [](Program &p) { at(p, Load).signal = false; }},
};

TEST(ProgramVerify, AcceptsAValidProgram) {
  Status status = verify(valid().program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(ProgramVerify, FindsEachBrokenRule) {
  std::set<unsigned> covered;
  for (const Case &test : kCases) {
    Program program = valid().program;
    test.breakIt(program);
    Status status = verify(program);
    auto number = static_cast<unsigned>(test.rule);
    covered.insert(number);
    ASSERT_FALSE(status.ok()) << test.name;
    EXPECT_NE(status.message().find("(rule P" + std::to_string(number) + ":"),
              std::string::npos)
        << test.name << ": " << status.message();
  }
  EXPECT_EQ(covered.size(), 29u);
}

TEST(ProgramVerify, SaysWhere) {
  Program program = valid().program;
  at(program, Act).parts = 0;
  EXPECT_EQ(verify(program).message(),
            "invalid device program: kernel 'k', instruction 2 (activation) at "
            "layer/mul: it works on 0 (rule P12: an instruction works on 1 to "
            "128 partitions)");
}

TEST(ProgramVerify, AcceptsWhatIsInPlace) {
  Program program = valid().program;
  at(program, Scalar).dst = at(program, Scalar).src[0];
  EXPECT_TRUE(verify(program).ok()) << verify(program).message();
}

TEST(ProgramVerify, AcceptsEmptyTensors) {
  Builder b;
  b.tensor("x", TensorKind::Input, f32, {0, 4});
  b.program.tensors[0].strides = {4, 1};
  b.program.tensors[0].span = 0;
  EXPECT_TRUE(verify(b.program).ok()) << verify(b.program).message();
}

} // namespace

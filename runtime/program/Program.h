//===- Program.h - the device program of a NEFF -----------------*- C++ -*-===//
//
// What the compiler emits and the simulator runs: HBM tensors, and kernels as
// structured loops of engine instructions with their schedule. There is one
// such program in a NEFF. The streams of the five engines are derived from it
// (Streams.h). It holds no host code and no pointers; Encoding.h reads and
// writes it, and Verify.h says whether a decoded program may be run at all.
//
// Memory. SBUF and PSUM are 128 partitions each; a tile is the same range of
// bytes in each of its first partitions. Both share the addresses of a
// partition: SBUF from byte 0, PSUM from byte kPsumBase.
//
// Order. An engine (unit) runs its instructions in program order. A DMA is
// issued in order by its engine and then runs on its queue, in the order of
// issue. Everything else is ordered by semaphores alone: each unit has one,
// which a finished instruction with `signal` raises by one; `waits` hold an
// instruction back. `waits` of a DMA hold back its issue, and with it the
// issuing engine. A queue is fed by one engine of a kernel. Semaphores are 0 at
// the start of a kernel and after a Barrier, so that a nest's waits count from
// its own start.
//
// SBUF and PSUM are undefined at the start of a kernel: kernels pass values
// through HBM.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Functions.h"
#include <array>
#include <string>
#include <variant>
#include <vector>

namespace neuron::program {

/// Increased by every change of the meaning or the encoding of a program.
inline constexpr uint32_t kProgramVersion = 5;
/// Programs of this version on mean what they meant. 4 added the 8-bit floats,
/// 5 HBM accesses of more than 8 dimensions.
inline constexpr uint32_t kOldestProgramVersion = 3;

constexpr bool isReadable(uint32_t version) {
  return version >= kOldestProgramVersion && version <= kProgramVersion;
}

inline constexpr unsigned kMaxLoopDepth = 4;
inline constexpr unsigned kMaxRank =
    16; ///< of the row part and of the column part of an HBM access

/// Where PSUM begins among the addresses of a partition: behind the largest
/// SBUF of any target.
inline constexpr uint32_t kPsumBase = 1u << 18;

//===----------------------------------------------------------------------===//
// HBM
//===----------------------------------------------------------------------===//

enum class TensorKind : uint8_t {
  Input,    ///< bound by the caller
  Output,   ///< bound by the caller
  Scratch,  ///< allocated by the runtime; undefined before the first store
  Constant, ///< its bytes are in the program
};

/// A variable in HBM: `span` elements, addressed by accesses that bring their
/// own strides.
struct Tensor {
  std::string name;
  TensorKind kind = TensorKind::Input;
  DType dtype = DType::F32;
  std::vector<int64_t> shape; ///< logical, as PyTorch sees it
  std::vector<int64_t>
      strides;      ///< in elements; how an input or output lies in its buffer
  int64_t span = 0; ///< elements in the buffer: 1 + sum of (size-1)*stride, 0
                    ///< for no elements
  int32_t aliasedInput =
      -1; ///< for an output that is written in place: index of the input tensor
  std::vector<uint8_t> data; ///< Constant only: span * bytesOf(dtype) bytes

  int64_t bytes() const { return span * bytesOf(dtype); }
  bool operator==(const Tensor &) const = default;
};

/// base + sum over enclosing loops (outermost first) of coefficient * loop
/// counter.
struct Affine {
  int64_t base = 0;
  std::array<int64_t, kMaxLoopDepth> coefficients{};

  template <typename Counters> int64_t at(const Counters &counters) const {
    int64_t value = base;
    for (unsigned i = 0; i < kMaxLoopDepth; ++i)
      value += coefficients[i] * counters[i];
    return value;
  }
  bool operator==(const Affine &) const = default;
};

/// A window of a tensor seen as a matrix. The row index r is split over
/// `rowSizes` (outermost first) and the column index over `colSizes`; the
/// element is at offset + sum(rowIndex*rowStride) + sum(colIndex*colStride). A
/// stride of 0 broadcasts. The instruction moves rows [row, row+parts) and
/// columns [column, column+elems).
///
/// A gather or scatter has an index for each element (or one for each row): it
/// lies further on by index * indexStride, and an index outside of
/// [0, indexBound) ends the execution.
struct HbmAccess {
  uint32_t tensor = 0;
  int64_t offset = 0; ///< in elements
  std::vector<int64_t> rowSizes, rowStrides;
  std::vector<int64_t> colSizes, colStrides;
  Affine row, column;
  int64_t indexStride = 0, indexBound = 0; ///< DmaGather, DmaScatter
  bool operator==(const HbmAccess &) const = default;
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

enum class Unit : uint8_t { Tensor, Vector, Scalar, GpSimd, Sync, Queue0 };
inline constexpr unsigned kNumEngines = 5;
inline constexpr unsigned kNumQueues = 16;
inline constexpr unsigned kNumUnits = kNumEngines + kNumQueues;
constexpr Unit queue(unsigned index) {
  return static_cast<Unit>(kNumEngines + index);
}

// opcode, name of the nisa op, engines that may run it (bit i: Unit i)
#define NEURON_OPCODES(X)                                                      \
  X(DmaLoad, "dma_load", kDmaEngines)                                          \
  X(DmaStore, "dma_store", kDmaEngines)                                        \
  X(Memset, "memset", kVector | kGpSimd)                                       \
  X(TensorCopy, "tensor_copy", kVector | kScalar | kGpSimd)                    \
  X(TensorTensor, "tensor_tensor", kVector)                                    \
  X(TensorScalar, "tensor_scalar", kVector)                                    \
  X(ScalarTensorTensor, "scalar_tensor_tensor", kVector)                       \
  X(TensorReduce, "tensor_reduce", kVector)                                    \
  X(Activation, "activation", kScalar)                                         \
  X(Reciprocal, "reciprocal", kVector)                                         \
  X(Select, "select", kVector)                                                 \
  X(Iota, "iota", kGpSimd)                                                     \
  X(GpsimdElementwise, "gpsimd_elementwise", kGpSimd)                          \
  X(GpsimdReduce, "gpsimd_reduce", kGpSimd)                                    \
  X(Matmul, "matmul", kTensor)                                                 \
  X(Transpose, "transpose", kTensor)                                           \
  X(DmaGather, "dma_gather", kGpSimd)                                          \
  X(DmaScatter, "dma_scatter", kGpSimd)                                        \
  X(GpsimdScan, "gpsimd_scan", kGpSimd)                                        \
  X(GpsimdSort, "gpsimd_sort", kGpSimd)                                        \
  X(GpsimdRandom, "gpsimd_random", kGpSimd)                                    \
  X(TensorTensorScan, "tensor_tensor_scan", kVector)

enum class Opcode : uint8_t {
#define NEURON_OPCODE_ENUM(Name, mnemonic, engines) Name,
  NEURON_OPCODES(NEURON_OPCODE_ENUM)
#undef NEURON_OPCODE_ENUM
};
#define NEURON_OPCODE_ONE(Name, mnemonic, engines) +1
inline constexpr unsigned kNumOpcodes = 0 NEURON_OPCODES(NEURON_OPCODE_ONE);
#undef NEURON_OPCODE_ONE

/// A range of SBUF or PSUM, or an immediate.
struct Operand {
  enum class Kind : uint8_t { None, Tile, Immediate };
  Kind kind = Kind::None;
  DType dtype = DType::F32;
  // Tile: element i of partition p is at byte offset + rotation +
  // i*stride*bytesOf(dtype) of partition p.
  uint32_t offset = 0;  ///< bytes from the start of the partition
  uint32_t elems = 0;   ///< elements per partition that the instruction sees
  uint8_t stride = 1;   ///< 0: one element, repeated
  uint16_t buffers = 1; ///< the tile rotates over this many buffers, by the
                        ///< innermost loop's counter
  uint32_t pitch = 0;   ///< bytes between buffers
  // Immediate: the value's bits in `dtype`, zero-extended.
  uint64_t bits = 0;

  bool isTile() const { return kind == Kind::Tile; }
  bool isImmediate() const { return kind == Kind::Immediate; }
  bool isInPsum() const { return isTile() && offset >= kPsumBase; }
  bool operator==(const Operand &) const = default;
};

struct Wait {
  Unit semaphore = Unit::Vector;
  Affine value; ///< held back until the semaphore is at least this (values <= 0
                ///< never hold)
  bool operator==(const Wait &) const = default;
};

/// How a reduction treats what its destination holds.
enum class Accumulate : uint8_t { No, Yes };

/// One engine instruction. What each opcode does, and with which fields; what
/// is not said to be anything else is a tile.
///
///   DmaLoad            dst <- hbm, of equal dtypes, on `queue`
///   DmaStore           hbm <- src[0], likewise
///   DmaGather          dst <- hbm at the index src[0] (int64), likewise
///   DmaScatter         hbm at the index src[1] (int64) <- src[0], one element
///                      after the other: by rows, and in a row by columns. With
///                      Accumulate::Yes the element becomes
///                      reduce(element, src[0]), computed in `compute`
///   Memset             dst <- src[0], an immediate of dst's dtype
///   TensorCopy         dst <- src[0], bit-exact if the dtypes are equal; else
///                      by fp32, to the nearest even, and saturating to
///                      integers, as hardware converts
///   TensorTensor       dst <- fn[0](src[0], src[1]), fp32 inside
///   TensorScalar       dst <- fn[1](fn[0](src[0], src[1]), src[2]), fp32
///                      inside. src[1], src[2]: immediate or one element;
///                      reverse[i] swaps the operands of fn[i]; without src[2]
///                      there is no fn[1]
///   ScalarTensorTensor dst <- fn[1](fn[0](src[0], src[1]), src[2]), fp32
///                      inside. src[1]: immediate or one element
///   TensorTensorScan   dst[i] <- r(i) = fn[1](fn[0](src[0][i], r(i-1)),
///                      src[1][i]), from left to right, fp32 inside: r(i) is
///                      not rounded to dst's dtype between the steps. r(-1) is
///                      src[2], an immediate or one element; reverse[i] swaps
///                      the operands of fn[i]
///   TensorReduce       dst (one element) <- reduce fn[0] over src[0] (add,
///                      hw_max, hw_min), fp32 inside
///   Activation         dst <- fn[0](src[0] * src[1] + src[2]); acc (one
///                      element, fp32) <- sum of the results before they are
///                      rounded to dst's dtype. src[1] (scale) and src[2]
///                      (bias): immediate or one element; without them 1 and 0,
///                      and no arithmetic at all. With acc, dst may be None
///   Reciprocal         dst <- 1 / src[0], fp32 inside, correctly rounded
///   Select             dst <- src[0] ? src[1] : src[2]. src[0] is bool, the
///                      others tiles or immediates; bit-exact if their dtypes
///                      equal dst's
///   Iota               dst[p][i] <- index.at(loops) + rowStep*p + step*i, in
///                      int64, cast to dst
///   GpsimdElementwise  dst <- fn[0](src...) in `compute`: sources are cast to
///                      it as PyTorch casts, the result to dst's dtype
///                      likewise. Any operand may be an immediate of `compute`
///   GpsimdReduce       dst (one element) <- reduce `reduce` over src[0] in
///                      `compute`; for argmax and argmin, dst is the index
///                      (int64) counted from index.at(loops), and acc (one
///                      element) the value
///   GpsimdScan         dst[i] <- reduce(carry, src[0][0..i]) in `compute`,
///                      from left to right; acc (one element of `compute`), if
///                      it is there, becomes the last of them. The carry is acc
///                      with Accumulate::Yes, else nothing
///   GpsimdSort         dst <- src[0] in ascending order, or with reverse[0] in
///                      descending order; acc (int64) <- where each element
///                      stood. Stable; a NaN is larger than all else. One of
///                      dst and acc may be None
///   GpsimdRandom       dst[p][i] <- Philox4x32-10 with the key src[0] (one
///                      int64) and the counter index.at(loops) + rowStep*p +
///                      step*i: 64 bits (int64), or uniform in [0, 1)
///   Matmul             dst[m][n] <- sum over k of src[0][k][m] *
///                      src[1][k][n]. src[0] (stationary) and src[1] (moving)
///                      in SBUF, of equal dtype f32, bf16 or f16; dst f32 in
///                      PSUM. The sum starts from 0 and adds the products in
///                      the order of k, each with one fused multiply-add in
///                      f32; with Accumulate::Yes the whole is then added to
///                      dst, as the array's columns do. `parts` is K; dst has
///                      M = src[0].elems partitions (Opcodes.h, dstPartsOf)
///   Transpose          dst[f][p] <- src[0][p][f], bit-exact, from SBUF to
///                      PSUM; dst has src[0].elems partitions
struct Instruction {
  Opcode opcode = Opcode::Memset;
  Unit engine = Unit::Vector; ///< the engine that runs or, for a DMA, issues it
  Unit queue = Unit::Queue0;  ///< DMA only
  uint16_t parts = 0;         ///< partitions [0, parts); of the sources
  std::array<Fn, 2> fn{Fn::identity, Fn::identity};
  std::array<bool, 2> reverse{false, false};
  DType compute = DType::F32; ///< GpSimd only
  enum class Reduce : uint8_t {
    Sum,
    Prod,
    Max,
    Min,
    Any,
    All,
    ArgMax,
    ArgMin,
    LogAddExp ///< log(exp(a) + exp(b)); scans only
  };
  Reduce reduce = Reduce::Sum; ///< GpsimdReduce; Max and Min propagate NaN,
                               ///< ArgMax takes the first NaN or maximum
  Accumulate accumulate = Accumulate::No; ///< reductions: combine with the old
                                          ///< value of dst (and acc)
  Operand dst, acc;
  std::array<Operand, 3> src;
  HbmAccess hbm;                 ///< DMA only
  Affine index;                  ///< Iota, arg-reductions
  int64_t rowStep = 0, step = 0; ///< Iota
  bool signal = false;
  std::vector<Wait> waits;
  uint32_t location = 0; ///< index into Program::locations

  bool isDma() const { return readsHbm() || writesHbm(); }
  /// A DMA from HBM to SBUF.
  bool readsHbm() const {
    return opcode == Opcode::DmaLoad || opcode == Opcode::DmaGather;
  }
  /// A DMA from SBUF to HBM.
  bool writesHbm() const {
    return opcode == Opcode::DmaStore || opcode == Opcode::DmaScatter;
  }
  bool isIndexed() const {
    return opcode == Opcode::DmaGather || opcode == Opcode::DmaScatter;
  }
  /// The elements that a DMA moves, and where its index is.
  const Operand &moved() const { return readsHbm() ? dst : src[0]; }
  const Operand &indices() const {
    return src[opcode == Opcode::DmaScatter ? 1 : 0];
  }
  /// Whose semaphore `signal` raises and whose order the effect obeys.
  Unit unit() const { return isDma() ? queue : engine; }
  bool operator==(const Instruction &) const = default;
};

struct Loop;
/// The end of a nest: every unit waits for all that came before, on every other
/// unit.
struct Barrier {
  uint32_t location = 0;
  bool operator==(const Barrier &) const = default;
};
using Node = std::variant<Instruction, Loop, Barrier>;

struct Loop {
  int64_t count = 0;
  std::vector<Node> body;
  bool operator==(const Loop &) const = default;
};

struct Kernel {
  std::string name;
  std::vector<Node> body;
  bool operator==(const Kernel &) const = default;
};

struct Program {
  std::string target; ///< "trn2"
  std::vector<Tensor> tensors;
  std::vector<Kernel> kernels; ///< in order; each ends as if by a Barrier
  std::vector<std::string> locations; ///< location ids: call-site path and op;
                                      ///< entry 0 is "<unknown>"
  bool operator==(const Program &) const = default;
};

//===----------------------------------------------------------------------===//
// Order of reductions
//===----------------------------------------------------------------------===//
//
// Fixed for every form of execution. A row is cut into blocks of
// kReductionBlock elements, the last of which may be shorter. In a block,
// element i goes to lane i % kReductionLanes in the order of i, each lane
// starting from the identity of the function (0, 1, -inf or the smallest
// integer, ...). The lanes of the blocks are reduced in the order of the
// blocks, total[j] = f(total[j], lane[j]), from the identity on; then for (s =
// lanes/2; s; s /= 2) total[j] = f(total[j], total[j + s]). With
// Accumulate::Yes the result is f(old value, total[0]).
//
// A value is thus rounded as often as there are blocks and 16 elements of a
// lane: sums of rows that fit in SBUF are about as exact as pairwise ones.
inline constexpr unsigned kReductionLanes = 64;
inline constexpr unsigned kReductionBlock = 1024;

} // namespace neuron::program

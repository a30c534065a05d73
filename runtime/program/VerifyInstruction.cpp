//===- VerifyInstruction.cpp - one instruction ----------------------------===//
#include "runtime/program/Interval.h"
#include "runtime/program/Opcodes.h"
#include "runtime/program/VerifyContext.h"
#include <algorithm>

namespace neuron::program {
namespace {

/// What an opcode wants as an operand.
enum class Want : uint8_t {
  None,
  Tile, ///< of the instruction's elements
  MaybeTile,
  One, ///< a tile of one element
  MaybeOne,
  Scalar, ///< a tile of one element, or an immediate
  MaybeScalar,
  Immediate,
  Any,       ///< a tile of the instruction's elements, or an immediate
  TileOrOne, ///< a tile of the instruction's elements, or of one
};

struct Form {
  Want dst, acc;
  std::array<Want, 3> src;
  uint8_t functions; ///< how many of `fn` it uses
  bool reverses;     ///< whether it uses `reverse`
  bool inPlace; ///< element i of a source is not read after dst's is written,
                ///< so that dst may be a source
};

using enum Want;
constexpr Form kForms[kNumOpcodes] = {
    /* DmaLoad            */ {Tile, None, {None, None, None}, 0, false, false},
    /* DmaStore           */ {None, None, {Tile, None, None}, 0, false, false},
    /* Memset             */
    {Tile, None, {Immediate, None, None}, 0, false, true},
    /* TensorCopy         */ {Tile, None, {Tile, None, None}, 0, false, true},
    /* TensorTensor       */ {Tile, None, {Tile, Tile, None}, 1, false, true},
    /* TensorScalar       */
    {Tile, None, {Tile, Scalar, MaybeScalar}, 2, true, true},
    /* ScalarTensorTensor */ {Tile, None, {Tile, Scalar, Tile}, 2, true, true},
    /* TensorReduce       */ {One, None, {Tile, None, None}, 1, false, false},
    /* Activation         */
    {MaybeTile, MaybeOne, {Tile, MaybeScalar, MaybeScalar}, 1, false, true},
    /* Reciprocal         */ {Tile, None, {Tile, None, None}, 0, false, true},
    /* Select             */ {Tile, None, {Tile, Any, Any}, 0, false, true},
    /* Iota               */ {Tile, None, {None, None, None}, 0, false, false},
    /* GpsimdElementwise  */ {Tile, None, {Any, Any, Any}, 1, false, true},
    /* GpsimdReduce       */
    {One, MaybeOne, {Tile, None, None}, 0, false, false},
    /* Matmul             */ {Tile, None, {Tile, Tile, None}, 0, false, false},
    /* Transpose          */ {Tile, None, {Tile, None, None}, 0, false, false},
    /* DmaGather          */
    {Tile, None, {TileOrOne, None, None}, 0, false, false},
    /* DmaScatter         */
    {None, None, {Tile, TileOrOne, None}, 0, false, false},
    /* GpsimdScan         */
    {Tile, MaybeOne, {Tile, None, None}, 0, false, false},
    /* GpsimdSort         */
    {MaybeTile, MaybeTile, {Tile, None, None}, 0, true, false},
    /* GpsimdRandom       */ {Tile, None, {One, None, None}, 0, false, false},
    /* TensorTensorScan   */ {Tile, None, {Tile, Tile, Scalar}, 2, true, true},
};

bool accepts(Want want, Operand::Kind kind) {
  switch (kind) {
  case Operand::Kind::None:
    return want == None || want == MaybeTile || want == MaybeOne ||
           want == MaybeScalar;
  case Operand::Kind::Tile:
    return want != None && want != Immediate;
  case Operand::Kind::Immediate:
    return want == Scalar || want == MaybeScalar || want == Immediate ||
           want == Any;
  }
  return false;
}

bool wantsOneElement(Want want) {
  return want == One || want == MaybeOne || want == Scalar ||
         want == MaybeScalar;
}

/// A range of bytes of each partition.
struct Bytes {
  uint64_t begin, end;
  bool overlaps(const Bytes &other) const {
    return begin < other.end && other.begin < end;
  }
};

Bytes bytesOfTile(const Operand &tile) {
  uint64_t reach = uint64_t(tile.elems - 1) * tile.stride + 1;
  return {tile.offset, tile.offset + reach * bytesOf(tile.dtype)};
}

Bytes bytesOfAllBuffers(const Operand &tile) {
  Bytes bytes = bytesOfTile(tile);
  bytes.end += uint64_t(tile.buffers - 1) * tile.pitch;
  return bytes;
}

bool rotateAlike(const Operand &a, const Operand &b) {
  return a.buffers == b.buffers && (a.buffers == 1 || a.pitch == b.pitch);
}

bool mayOverlap(const Operand &a, const Operand &b) {
  if (rotateAlike(a, b))
    return bytesOfTile(a).overlaps(bytesOfTile(b));
  return bytesOfAllBuffers(a).overlaps(bytesOfAllBuffers(b));
}

bool areSameElements(const Operand &a, const Operand &b) {
  return rotateAlike(a, b) && a.offset == b.offset && a.elems == b.elems &&
         bytesOf(a.dtype) == bytesOf(b.dtype) &&
         (a.stride == b.stride || a.elems == 1);
}

class InstructionVerifier {
public:
  explicit InstructionVerifier(VerifyContext &context)
      : context(context), it(*context.instruction) {}

  bool verify() {
    return enumerators() && engine() && operands() && elements() && tiles() &&
           overlap() && verifyTensorEngine(context) && immediates() &&
           functions() && accumulation() && dtypes() &&
           (!it.isDma() || verifyAccess(context, elems)) && indices() &&
           waits();
  }

private:
  bool fail(Rule rule, const std::string &what) {
    return context.fail(rule, what);
  }

  template <typename Check> bool eachOperand(Check check) {
    return check(it.dst, form->dst, "dst") && check(it.acc, form->acc, "acc") &&
           check(it.src[0], wantOf(0), "src[0]") &&
           check(it.src[1], wantOf(1), "src[1]") &&
           check(it.src[2], wantOf(2), "src[2]");
  }

  Want wantOf(unsigned source) const {
    bool absent = it.opcode == Opcode::GpsimdElementwise &&
                  source >= info(it.fn[0]).arity;
    return absent ? None : form->src[source];
  }

  bool enumerators() {
    if (static_cast<unsigned>(it.opcode) >= kNumOpcodes)
      return fail(Rule::Enumerators, "its opcode is unknown");
    form = &kForms[static_cast<unsigned>(it.opcode)];
    for (Fn fn : it.fn)
      if (static_cast<unsigned>(fn) >= kNumFns)
        return fail(Rule::Enumerators, "its function is unknown");
    bool known = static_cast<unsigned>(it.engine) < kNumEngines &&
                 static_cast<unsigned>(it.queue) >= kNumEngines &&
                 static_cast<unsigned>(it.queue) < kNumUnits &&
                 static_cast<unsigned>(it.compute) < kNumDTypes &&
                 it.reduce <= Instruction::Reduce::LogAddExp &&
                 it.accumulate <= Accumulate::Yes;
    for (const Wait &wait : it.waits)
      known &= static_cast<unsigned>(wait.semaphore) < kNumUnits;
    if (!known)
      return fail(Rule::Enumerators, "an engine, queue, unit, dtype, reduction "
                                     "or accumulation is unknown");
    return eachOperand([&](const Operand &operand, Want, const char *name) {
      if (operand.kind > Operand::Kind::Immediate ||
          static_cast<unsigned>(operand.dtype) >= kNumDTypes)
        return fail(Rule::Enumerators,
                    std::string(name) + " is of an unknown kind or dtype");
      return true;
    });
  }

  bool engine() {
    if (!mayRun(it.engine, it.opcode))
      return fail(Rule::Engines, "engine " +
                                     std::to_string(unsigned(it.engine)) +
                                     " does not run it");
    if (it.parts < 1 || it.parts > context.target->partitions)
      return fail(Rule::Partitions, "it works on " + std::to_string(it.parts));
    return true;
  }

  bool operands() {
    bool ok =
        eachOperand([&](const Operand &operand, Want want, const char *name) {
          if (accepts(want, operand.kind))
            return true;
          return fail(Rule::Operands, std::string(name) +
                                          " is missing, superfluous, or not of "
                                          "the right kind");
        });
    if (ok && it.opcode == Opcode::Activation && !it.dst.isTile() &&
        !it.acc.isTile())
      return fail(Rule::Operands, "it has neither dst nor acc");
    if (ok && it.opcode == Opcode::GpsimdSort && !it.dst.isTile() &&
        !it.acc.isTile())
      return fail(Rule::Operands, "it has neither dst nor acc");
    if (ok && it.opcode == Opcode::GpsimdScan && !it.acc.isTile() &&
        it.accumulate == Accumulate::Yes)
      return fail(Rule::Operands, "it goes on from acc, which is missing");
    if (ok && it.opcode == Opcode::GpsimdReduce) {
      bool wantsAcc = isArg() && it.accumulate == Accumulate::Yes;
      if (it.acc.isTile() ? !isArg() : wantsAcc)
        return fail(Rule::Operands, "acc is superfluous, or missing for an "
                                    "accumulating arg-reduction");
    }
    return ok;
  }

  bool elements() {
    bool bySource = form->dst == None || wantsOneElement(form->dst) ||
                    it.opcode == Opcode::Activation ||
                    it.opcode == Opcode::GpsimdSort;
    elems = (bySource ? it.src[0] : it.dst).elems;
    return eachOperand(
        [&](const Operand &operand, Want want, const char *name) {
          if (!operand.isTile())
            return true;
          int64_t expected = wantsOneElement(want) ? 1 : elems;
          if (crossesPartitions(it.opcode)) // verifyTensorEngine compares them
            expected = operand.elems;
          if (want == TileOrOne && operand.elems == 1)
            expected = 1;
          if (operand.elems != expected || operand.elems < 1)
            return fail(Rule::Elements, std::string(name) + " has " +
                                            std::to_string(operand.elems) +
                                            " elements, not " +
                                            std::to_string(expected));
          bool isWritten = &operand == &it.dst || &operand == &it.acc;
          if (isWritten && operand.stride == 0 && operand.elems > 1)
            return fail(Rule::Elements,
                        std::string(name) + " is written over and over");
          return true;
        });
  }

  bool tiles() {
    return eachOperand([&](const Operand &operand, Want, const char *name) {
      if (!operand.isTile())
        return true;
      uint64_t bytes = bytesOf(operand.dtype);
      bool rotates = operand.buffers > 1;
      if (operand.buffers < 1 || (rotates && !context.isInLoop()))
        return fail(Rule::Tiles, std::string(name) +
                                     " has no buffer, or rotates in no loop");
      if (operand.offset % bytes != 0 || (rotates && operand.pitch % bytes))
        return fail(Rule::Tiles, std::string(name) + " is not aligned to " +
                                     std::to_string(bytes) + " bytes");
      uint64_t base = operand.isInPsum() ? kPsumBase : 0;
      uint64_t usable =
          base ? context.target->psumBytes : context.target->sbufUsableBytes;
      uint64_t end = bytesOfAllBuffers(operand).end - base;
      // A repeated element takes no room, but time.
      if (operand.elems > usable)
        return fail(Rule::Tiles, std::string(name) + " repeats too often");
      if (end > usable)
        return fail(Rule::Tiles,
                    std::string(name) + " ends at byte " + std::to_string(end) +
                        " of a partition of " + std::to_string(usable));
      return true;
    });
  }

  bool overlap() {
    for (const Operand *written : {&it.dst, &it.acc}) {
      if (!written->isTile())
        continue;
      for (const Operand &source : it.src) {
        if (!source.isTile() || !mayOverlap(*written, source))
          continue;
        bool isInPlace = form->inPlace && written == &it.dst &&
                         areSameElements(*written, source);
        if (!isInPlace)
          return fail(Rule::Overlap, "what it writes overlaps what it reads");
      }
    }
    if (it.dst.isTile() && it.acc.isTile() && mayOverlap(it.dst, it.acc))
      return fail(Rule::Overlap, "dst and acc overlap");
    return true;
  }

  bool immediates() {
    return eachOperand([&](const Operand &operand, Want, const char *name) {
      if (!operand.isImmediate())
        return true;
      unsigned bits = 8 * bytesOf(operand.dtype);
      uint64_t limit = operand.dtype == DType::Bool ? 2
                       : bits == 64                 ? 0
                                                    : uint64_t(1) << bits;
      if (limit != 0 && operand.bits >= limit)
        return fail(Rule::Immediates, std::string(name) + " is no " +
                                          std::string(nameOf(operand.dtype)));
      return true;
    });
  }

  bool functions() {
    if (!form->reverses && (it.reverse[0] || it.reverse[1]))
      return fail(Rule::Functions, "it cannot swap operands");
    switch (it.opcode) {
    case Opcode::TensorReduce:
      return context.require(it.fn[0] == Fn::add || it.fn[0] == Fn::hw_max ||
                                 it.fn[0] == Fn::hw_min,
                             Rule::Functions,
                             "it reduces by add, hw_max or hw_min");
    case Opcode::Activation:
      return function(it.fn[0], 1, DType::F32, runsOnScalar(it.fn[0]));
    case Opcode::GpsimdElementwise:
      return function(it.fn[0], info(it.fn[0]).arity, it.compute, true);
    case Opcode::GpsimdReduce:
    case Opcode::Matmul:
    case Opcode::Transpose:
    case Opcode::GpsimdScan:
    case Opcode::GpsimdSort:
      return true;
    default:
      break;
    }
    unsigned used = form->functions;
    if (it.opcode == Opcode::TensorScalar &&
        it.src[2].kind == Operand::Kind::None)
      used = 1;
    for (unsigned i = 0; i < used; ++i)
      if (!function(it.fn[i], 2, DType::F32, runsOnVector(it.fn[i])))
        return false;
    return true;
  }

  bool function(Fn fn, unsigned arity, DType compute, bool onEngine) {
    if (info(fn).arity == arity && isLegal(fn, compute) && onEngine)
      return true;
    return fail(Rule::Functions, "it cannot compute " +
                                     std::string(nameOf(fn)) + " in " +
                                     std::string(nameOf(compute)));
  }

  bool accumulation() {
    bool may = it.opcode == Opcode::TensorReduce ||
               it.opcode == Opcode::GpsimdReduce ||
               it.opcode == Opcode::Matmul || it.opcode == Opcode::GpsimdScan ||
               it.opcode == Opcode::DmaScatter ||
               (it.opcode == Opcode::Activation && it.acc.isTile());
    return context.require(may || it.accumulate == Accumulate::No,
                           Rule::Accumulation, "it does not reduce");
  }

  bool isArg() const {
    return it.reduce == Instruction::Reduce::ArgMax ||
           it.reduce == Instruction::Reduce::ArgMin;
  }

  bool dtypeFail(const std::string &what) { return fail(Rule::DTypes, what); }

  bool dtypes() {
    switch (it.opcode) {
    case Opcode::DmaLoad:
      return dmaDType(it.dst);
    case Opcode::DmaStore:
      return dmaDType(it.src[0]);
    case Opcode::Memset:
      return context.require(it.src[0].dtype == it.dst.dtype, Rule::DTypes,
                             "its immediate is not of dst's dtype");
    case Opcode::TensorCopy:
      return conversion(it.src[0]);
    case Opcode::Select:
      return context.require(it.src[0].dtype == DType::Bool, Rule::DTypes,
                             "its condition is not bool") &&
             conversion(it.src[1]) && conversion(it.src[2]);
    case Opcode::Iota:
      return true;
    case Opcode::GpsimdElementwise:
      return gpsimdDTypes();
    case Opcode::GpsimdReduce:
      return gpsimdReduceDTypes();
    case Opcode::Matmul:
      return context.require(
          it.dst.dtype == DType::F32 && it.src[0].dtype == it.src[1].dtype &&
              (it.src[0].dtype == DType::F32 ||
               it.src[0].dtype == DType::BF16 || it.src[0].dtype == DType::F16),
          Rule::DTypes,
          "it multiplies two of float32, bfloat16 or float16 to float32");
    case Opcode::Transpose:
      return context.require(
          it.src[0].dtype == it.dst.dtype &&
              (bytesOf(it.dst.dtype) == 2 || bytesOf(it.dst.dtype) == 4),
          Rule::DTypes, "it keeps a dtype of two or four bytes");
    case Opcode::DmaGather:
    case Opcode::DmaScatter:
      return dmaDType(it.moved()) && indexedDTypes();
    case Opcode::GpsimdScan:
      return scanDTypes();
    case Opcode::GpsimdSort:
      return sortDTypes();
    case Opcode::GpsimdRandom:
      return randomDTypes();
    default:
      return arithmeticDTypes();
    }
  }

  bool dmaDType(const Operand &tile) {
    // verifyAccess reports a tensor that does not exist.
    if (it.hbm.tensor >= context.program.tensors.size() ||
        context.program.tensors[it.hbm.tensor].dtype == tile.dtype)
      return true;
    return dtypeFail("the tile is not of the tensor's dtype");
  }

  /// Of the 8-bit floats, Vector and Scalar of every core know e5m2 alone.
  static bool isOnlyGpSimds(DType dtype) {
    return isFloat8(dtype) && dtype != DType::F8E5M2;
  }

  /// Moves of Vector and Scalar: the bits, or by fp32.
  bool conversion(const Operand &from) {
    if (from.dtype == it.dst.dtype)
      return true;
    if (isOnlyGpSimds(from.dtype) || isOnlyGpSimds(it.dst.dtype))
      return dtypeFail("only GpSimd converts this 8-bit float");
    if (from.isImmediate())
      return dtypeFail("its immediate is not of dst's dtype");
    if (bytesOf(from.dtype) == 8 || bytesOf(it.dst.dtype) == 8)
      return dtypeFail("64-bit elements do not convert by fp32");
    return context.require(it.dst.dtype != DType::Bool, Rule::DTypes,
                           "only bool and comparisons make bool");
  }

  /// Arithmetic of Vector and Scalar: fp32 inside.
  bool arithmeticDTypes() {
    bool sourcesAreBool = true;
    bool ok = eachOperand([&](const Operand &operand, Want want,
                              const char *name) {
      if (operand.kind == Operand::Kind::None)
        return true;
      std::string text(name);
      if (bytesOf(operand.dtype) == 8)
        return dtypeFail(text + " has 64 bits; the engine computes in fp32");
      if (isOnlyGpSimds(operand.dtype))
        return dtypeFail(text + " is an 8-bit float that only GpSimd converts");
      if (operand.isImmediate() && operand.dtype != DType::F32)
        return dtypeFail(text + " is an immediate, but not float32");
      bool isScalar = want == Scalar || want == MaybeScalar;
      if (isScalar && !isFloat(operand.dtype))
        return dtypeFail(text + " is a scalar operand, but no float");
      if (&operand != &it.dst && &operand != &it.acc)
        sourcesAreBool &= operand.dtype == DType::Bool;
      return true;
    });
    if (!ok)
      return false;
    if (it.opcode == Opcode::Activation && it.acc.isTile() &&
        it.acc.dtype != DType::F32)
      return dtypeFail("acc is not float32");
    if (it.dst.isTile() && it.dst.dtype == DType::Bool)
      return context.require(makesBool(sourcesAreBool), Rule::DTypes,
                             "only bool and comparisons make bool");
    return true;
  }

  /// Whether the result is 0 or 1.
  bool makesBool(bool sourcesAreBool) const {
    if (it.opcode == Opcode::Reciprocal)
      return false;
    bool second = form->functions == 2 && it.src[2].kind != Operand::Kind::None;
    Fn last = it.fn[second ? 1 : 0];
    bool keeps = last == Fn::identity || last == Fn::hw_max ||
                 last == Fn::hw_min || last == Fn::mul;
    return info(last).resultIsBool || (sourcesAreBool && keeps);
  }

  bool gpsimdDTypes() {
    for (unsigned i = 0; i < info(it.fn[0]).arity; ++i) {
      const Operand &operand = it.src[i];
      bool isCondition = it.fn[0] == Fn::select && i == 0;
      if (isCondition && operand.dtype != DType::Bool)
        return dtypeFail("its condition is not bool");
      if (!isCondition && operand.isImmediate() && operand.dtype != it.compute)
        return dtypeFail("an immediate is not of the dtype it computes in");
    }
    return true;
  }

  bool gpsimdReduceDTypes() {
    using Reduce = Instruction::Reduce;
    bool isBool = it.compute == DType::Bool;
    bool legal = !isSmallFloat(it.compute) && it.reduce != Reduce::LogAddExp;
    if (it.reduce == Reduce::Sum || it.reduce == Reduce::Prod)
      legal &= !isBool;
    if (it.reduce == Reduce::Any || it.reduce == Reduce::All)
      legal &= isBool;
    if (!legal)
      return dtypeFail("it cannot reduce in " +
                       std::string(nameOf(it.compute)));
    if (isArg() && it.dst.dtype != DType::I64)
      return dtypeFail("an index is int64");
    if (it.acc.isTile() && it.acc.dtype != it.compute)
      return dtypeFail("acc is not of the dtype it computes in");
    return true;
  }

  /// Combining two elements in `compute`, one after the other.
  bool combines(bool mayLogAddExp) {
    using Reduce = Instruction::Reduce;
    bool isBool = it.compute == DType::Bool;
    bool legal = !isSmallFloat(it.compute);
    switch (it.reduce) {
    case Reduce::Sum:
    case Reduce::Prod:
      legal &= !isBool;
      break;
    case Reduce::Max:
    case Reduce::Min:
      break;
    case Reduce::LogAddExp:
      legal &= mayLogAddExp && isFloat(it.compute);
      break;
    default:
      legal = false;
    }
    return legal || dtypeFail("it cannot combine by this reduction in " +
                              std::string(nameOf(it.compute)));
  }

  bool indexedDTypes() {
    if (it.indices().dtype != DType::I64)
      return dtypeFail("an index is int64");
    return it.accumulate == Accumulate::No || combines(false);
  }

  bool scanDTypes() {
    if (it.acc.isTile() && it.acc.dtype != it.compute)
      return dtypeFail("acc is not of the dtype it computes in");
    return combines(true);
  }

  bool sortDTypes() {
    if (it.dst.isTile() && it.dst.dtype != it.src[0].dtype)
      return dtypeFail("dst is not of the dtype of what is sorted");
    if (it.reverse[1])
      return fail(Rule::Functions, "it sorts by one order");
    return context.require(!it.acc.isTile() || it.acc.dtype == DType::I64,
                           Rule::DTypes, "an index is int64");
  }

  bool randomDTypes() {
    if (it.src[0].dtype != DType::I64)
      return dtypeFail("a key is int64");
    bool isReal = isFloat(it.dst.dtype) && !isFloat8(it.dst.dtype);
    return context.require(isReal || it.dst.dtype == DType::I64, Rule::DTypes,
                           "it makes floats or int64");
  }

  bool indices() {
    if (it.opcode == Opcode::Iota || it.opcode == Opcode::GpsimdRandom)
      return indexRange(it.rowStep, it.parts, it.step, elems);
    if (it.opcode == Opcode::GpsimdReduce && isArg())
      return indexRange(0, 1, 1, elems);
    return true;
  }

  bool indexRange(int64_t rowStep, int64_t rows, int64_t step, int64_t count) {
    if (!verifyAffine(context, it.index, "index"))
      return false;
    auto bounds = extend(
        extend(boundsOf(it.index, context.counts), rowStep, rows), step, count);
    return context.require(bounds.has_value(), Rule::Affine,
                           "its indices exceed 64 bits");
  }

  bool waits() {
    return std::all_of(it.waits.begin(), it.waits.end(), [&](const Wait &wait) {
      return verifyAffine(context, wait.value, "a wait's value");
    });
  }

  VerifyContext &context;
  const Instruction &it;
  const Form *form = nullptr;
  int64_t elems = 0; ///< of a full tile of the instruction
};

} // namespace

bool verifyAffine(VerifyContext &context, const Affine &affine,
                  const char *what) {
  for (size_t i = context.counts.size(); i < kMaxLoopDepth; ++i)
    if (affine.coefficients[i] != 0)
      return context.fail(Rule::Affine, std::string(what) +
                                            " counts a loop that does not "
                                            "enclose the instruction");
  return context.require(boundsOf(affine, context.counts).has_value(),
                         Rule::Affine, what);
}

bool verifyInstruction(VerifyContext &context) {
  return InstructionVerifier(context).verify();
}

} // namespace neuron::program

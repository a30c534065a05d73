//===- Emitted.h - one vector of LLVM values --------------------*- C++ -*-===//
//
// The value type that turns the templates of semantics/ into LLVM IR: what
// Scalar.h does at once for one element, this emits for EmitScope::width
// elements. bool is <n x i1>; a width of 1 is a plain value, not a vector.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Scalar.h"
#include "llvm/IR/IRBuilder.h"

namespace neuron::simulator::compiled {

/// Where the current thread emits to.
class EmitScope {
public:
  EmitScope(llvm::IRBuilder<> &builder, unsigned width)
      : builder(builder), width(width), outer(current) {
    current = this;
  }
  ~EmitScope() { current = outer; }
  EmitScope(const EmitScope &) = delete;
  EmitScope &operator=(const EmitScope &) = delete;

  static EmitScope &get() { return *current; }

  llvm::Type *typeOf(llvm::Type *element) const {
    return width == 1 ? element : llvm::FixedVectorType::get(element, width);
  }

  llvm::IRBuilder<> &builder;
  const unsigned width;
  /// Elements that are asked for; null for all. The others may hold anything.
  llvm::Value *mask = nullptr;
  /// Or of all reports of flagDivisionByZero, as elements of i1.
  llvm::Value *divisionByZero = nullptr;

private:
  EmitScope *outer;
  static thread_local EmitScope *current;
};

template <class T> llvm::Type *elementType(llvm::LLVMContext &context) {
  if constexpr (std::is_same_v<T, float>)
    return llvm::Type::getFloatTy(context);
  else if constexpr (std::is_same_v<T, double>)
    return llvm::Type::getDoubleTy(context);
  else if constexpr (std::is_same_v<T, bool>)
    return llvm::Type::getInt1Ty(context);
  else
    return llvm::Type::getIntNTy(context, sizeof(T) * 8);
}

// The work is done without templates, for the compiler's sake.
llvm::Value *emitConstant(double value, llvm::Type *element);
llvm::Value *emitConstant(float value, llvm::Type *element);
llvm::Value *emitConstant(uint64_t bits, llvm::Type *element);
llvm::Value *emitBinary(llvm::Instruction::BinaryOps op, llvm::Value *a,
                        llvm::Value *b);
llvm::Value *emitCompare(llvm::CmpInst::Predicate predicate, llvm::Value *a,
                         llvm::Value *b);
llvm::Value *emitIntrinsic(llvm::Intrinsic::ID id, llvm::Value *a);
llvm::Value *emitFma(llvm::Value *a, llvm::Value *b, llvm::Value *c);
llvm::Value *emitLookup(const double *table, llvm::Value *index);
void emitDivisionByZero(llvm::Value *mask);

template <class T> struct Emitted {
  using Element = T;
  llvm::Value *v = nullptr;

  Emitted() = default;
  Emitted(T constant) : v(constantOf(constant)) {}
  template <class P> Emitted(P *) = delete; // it would convert to bool

  static Emitted of(llvm::Value *value) {
    Emitted result;
    result.v = value;
    return result;
  }

  static constexpr bool kFloat = std::is_floating_point_v<T>;
  static constexpr bool kSigned = std::is_signed_v<T>;
  using Op = llvm::Instruction;
  using Cmp = llvm::CmpInst;

#define NEURON_EMIT_BINARY(symbol, floatOp, intOp)                             \
  friend Emitted operator symbol(Emitted a, Emitted b) {                       \
    return of(emitBinary(kFloat ? Op::floatOp : Op::intOp, a.v, b.v));         \
  }
  NEURON_EMIT_BINARY(+, FAdd, Add)
  NEURON_EMIT_BINARY(-, FSub, Sub)
  NEURON_EMIT_BINARY(*, FMul, Mul)
  NEURON_EMIT_BINARY(&, And, And)
  NEURON_EMIT_BINARY(|, Or, Or)
  NEURON_EMIT_BINARY(^, Xor, Xor)
  NEURON_EMIT_BINARY(<<, Shl, Shl)
#undef NEURON_EMIT_BINARY
  friend Emitted operator/(Emitted a, Emitted b) {
    return of(emitBinary(kFloat    ? Op::FDiv
                         : kSigned ? Op::SDiv
                                   : Op::UDiv,
                         a.v, b.v));
  }
  friend Emitted operator%(Emitted a, Emitted b) {
    return of(emitBinary(kSigned ? Op::SRem : Op::URem, a.v, b.v));
  }
  friend Emitted operator>>(Emitted a, Emitted b) {
    return of(emitBinary(kSigned ? Op::AShr : Op::LShr, a.v, b.v));
  }
  friend Emitted operator-(Emitted a) {
    if constexpr (kFloat)
      return of(EmitScope::get().builder.CreateFNeg(a.v));
    else
      return Emitted(T(0)) - a;
  }
  friend Emitted operator~(Emitted a) {
    return of(EmitScope::get().builder.CreateNot(a.v));
  }

#define NEURON_EMIT_COMPARE(symbol, floatPredicate, signedOne, unsignedOne)    \
  friend Emitted<bool> operator symbol(Emitted a, Emitted b) {                 \
    return Emitted<bool>::of(emitCompare(kFloat    ? Cmp::floatPredicate       \
                                         : kSigned ? Cmp::signedOne            \
                                                   : Cmp::unsignedOne,         \
                                         a.v, b.v));                           \
  }
  NEURON_EMIT_COMPARE(==, FCMP_OEQ, ICMP_EQ, ICMP_EQ)
  NEURON_EMIT_COMPARE(!=, FCMP_UNE, ICMP_NE, ICMP_NE)
  NEURON_EMIT_COMPARE(<, FCMP_OLT, ICMP_SLT, ICMP_ULT)
  NEURON_EMIT_COMPARE(<=, FCMP_OLE, ICMP_SLE, ICMP_ULE)
  NEURON_EMIT_COMPARE(>, FCMP_OGT, ICMP_SGT, ICMP_UGT)
  NEURON_EMIT_COMPARE(>=, FCMP_OGE, ICMP_SGE, ICMP_UGE)
#undef NEURON_EMIT_COMPARE

  friend Emitted choose(Emitted<bool> mask, Emitted a, Emitted b) {
    return of(EmitScope::get().builder.CreateSelect(mask.v, a.v, b.v));
  }
  friend Emitted multiplyAdd(Emitted a, Emitted b, Emitted c) {
    return of(emitFma(a.v, b.v, c.v));
  }
  friend Emitted root(Emitted a) {
    return of(emitIntrinsic(llvm::Intrinsic::sqrt, a.v));
  }
  friend Emitted roundDown(Emitted a) {
    return of(emitIntrinsic(llvm::Intrinsic::floor, a.v));
  }
  friend Emitted roundUp(Emitted a) {
    return of(emitIntrinsic(llvm::Intrinsic::ceil, a.v));
  }
  friend Emitted roundToZero(Emitted a) {
    return of(emitIntrinsic(llvm::Intrinsic::trunc, a.v));
  }
  /// The rounding mode is nearest even in a FloatingPointScope.
  friend Emitted roundToEven(Emitted a) {
    return of(emitIntrinsic(llvm::Intrinsic::rint, a.v));
  }

private:
  static llvm::Value *constantOf(T constant) {
    llvm::Type *element = elementType<T>(EmitScope::get().builder.getContext());
    if constexpr (kFloat)
      return emitConstant(constant, element);
    else
      return emitConstant(static_cast<uint64_t>(constant), element);
  }
};

template <class U, class T> Emitted<U> bitcast(Emitted<T> x) {
  EmitScope &scope = EmitScope::get();
  llvm::Type *type = scope.typeOf(elementType<U>(scope.builder.getContext()));
  return Emitted<U>::of(scope.builder.CreateBitCast(x.v, type));
}

template <class U, class T> Emitted<U> to(Emitted<T> x) {
  static_assert(!std::is_same_v<U, bool>, "write x != 0");
  using Op = llvm::Instruction;
  constexpr bool fromFloat = std::is_floating_point_v<T>;
  constexpr bool toFloat = std::is_floating_point_v<U>;
  constexpr Op::CastOps op =
      fromFloat && toFloat ? (sizeof(U) > sizeof(T) ? Op::FPExt : Op::FPTrunc)
      : fromFloat          ? (std::is_signed_v<U> ? Op::FPToSI : Op::FPToUI)
      : toFloat            ? (std::is_signed_v<T> ? Op::SIToFP : Op::UIToFP)
      : std::is_same_v<T, bool> ? Op::ZExt
      : sizeof(U) < sizeof(T)   ? Op::Trunc
      : sizeof(U) == sizeof(T)  ? Op::BitCast
      : std::is_signed_v<T>     ? Op::SExt
                                : Op::ZExt;
  EmitScope &scope = EmitScope::get();
  llvm::Type *type = scope.typeOf(elementType<U>(scope.builder.getContext()));
  return Emitted<U>::of(
      x.v->getType() == type ? x.v : scope.builder.CreateCast(op, x.v, type));
}

inline Emitted<double> lookup(const double *table, Emitted<uint32_t> index) {
  return Emitted<double>::of(emitLookup(table, index.v));
}

inline void flagDivisionByZero(Emitted<bool> any) { emitDivisionByZero(any.v); }

} // namespace neuron::simulator::compiled

//===- EmitFunctions.cpp - the table of functions as IR -------------------===//
#include "runtime/simulator/compiled/EmitFunctions.h"
#include "runtime/simulator/compiled/Emitted.h"
#include "runtime/simulator/semantics/Apply.h"
#include "runtime/simulator/semantics/Conversions.h"

namespace neuron::simulator::compiled {
using program::DType;
using program::Fn;
using semantics::Apply;
using semantics::Reduction;
using semantics::Register;

namespace {

using FunctionTable = std::array<EmitFunction, program::kNumFns>;

template <Fn F, class... Ts> constexpr EmitFunction emitterOf() {
  if constexpr (requires { Apply<F>::to(Emitted<Ts>{}...); })
    return [](llvm::Value *const *operands) -> llvm::Value * {
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return Apply<F>::to(Emitted<Ts>::of(operands[I])...).v;
      }(std::index_sequence_for<Ts...>{});
    };
  else
    return nullptr;
}

template <DType D, Fn F> constexpr EmitFunction emitterFor() {
  using T = Register<D>;
  if constexpr (!program::isLegal(F, D))
    return nullptr;
  else if constexpr (F == Fn::select)
    return emitterOf<F, bool, T, T>();
  else if constexpr (program::info(F).arity == 1)
    return emitterOf<F, T>();
  else
    return emitterOf<F, T, T>();
}

template <DType D> constexpr FunctionTable makeTable() {
  FunctionTable table{};
#define NEURON_FN(name, ...)                                                   \
  table[static_cast<unsigned>(Fn::name)] = emitterFor<D, Fn::name>();
#include "runtime/program/Functions.def"
  return table;
}

constexpr FunctionTable kFunctions[program::kNumDTypes] = {
    makeTable<DType::Bool>(), makeTable<DType::U8>(),  makeTable<DType::I8>(),
    makeTable<DType::U16>(),  makeTable<DType::I16>(), makeTable<DType::U32>(),
    makeTable<DType::I32>(),  makeTable<DType::U64>(), makeTable<DType::I64>(),
    FunctionTable{},          FunctionTable{},         makeTable<DType::F32>(),
    makeTable<DType::F64>()};

struct ReductionEmitters {
  EmitCombine combine;
  EmitIdentity identity;
};

template <Reduction R, class T> constexpr ReductionEmitters reductionOf() {
  return {
      [](llvm::Value *a, llvm::Value *b) {
        return semantics::combine<R>(Emitted<T>::of(a), Emitted<T>::of(b)).v;
      },
      [] { return Emitted<T>(semantics::identityOf<R, T>()).v; }};
}

using ReductionTable = std::array<ReductionEmitters, semantics::kNumReductions>;

template <DType D> constexpr ReductionTable makeReductions() {
  return []<size_t... R>(std::index_sequence<R...>) {
    return ReductionTable{reductionOf<Reduction(R), Register<D>>()...};
  }(std::make_index_sequence<semantics::kNumReductions>{});
}

constexpr ReductionTable kReductions[program::kNumDTypes] = {
    makeReductions<DType::Bool>(),
    makeReductions<DType::U8>(),
    makeReductions<DType::I8>(),
    makeReductions<DType::U16>(),
    makeReductions<DType::I16>(),
    makeReductions<DType::U32>(),
    makeReductions<DType::I32>(),
    makeReductions<DType::U64>(),
    makeReductions<DType::I64>(),
    ReductionTable{},
    ReductionTable{},
    makeReductions<DType::F32>(),
    makeReductions<DType::F64>()};

} // namespace

EmitFunction emitFunction(Fn fn, DType compute) {
  return kFunctions[static_cast<unsigned>(compute)][static_cast<unsigned>(fn)];
}

EmitCombine emitCombine(Reduction reduction, DType compute) {
  return kReductions[static_cast<unsigned>(compute)]
                    [static_cast<unsigned>(reduction)]
                        .combine;
}

EmitIdentity emitIdentity(Reduction reduction, DType compute) {
  return kReductions[static_cast<unsigned>(compute)]
                    [static_cast<unsigned>(reduction)]
                        .identity;
}

} // namespace neuron::simulator::compiled

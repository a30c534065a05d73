//===- Emitted.cpp - one vector of LLVM values ----------------------------===//
#include "runtime/simulator/compiled/Emitted.h"
#include "runtime/simulator/semantics/Trigonometric.h"
#include "llvm/IR/Module.h"

namespace neuron::simulator::compiled {

thread_local EmitScope *EmitScope::current = nullptr;

static llvm::Value *splat(llvm::Constant *constant) {
  unsigned width = EmitScope::get().width;
  if (width == 1)
    return constant;
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width),
                                        constant);
}

llvm::Value *emitConstant(double value, llvm::Type *element) {
  return splat(
      llvm::ConstantFP::get(element->getContext(), llvm::APFloat(value)));
}
llvm::Value *emitConstant(float value, llvm::Type *element) {
  return splat(
      llvm::ConstantFP::get(element->getContext(), llvm::APFloat(value)));
}
llvm::Value *emitConstant(uint64_t bits, llvm::Type *element) {
  unsigned width = element->getIntegerBitWidth();
  return splat(llvm::ConstantInt::get(element->getContext(),
                                      llvm::APInt(64, bits).trunc(width)));
}

llvm::Value *emitBinary(llvm::Instruction::BinaryOps op, llvm::Value *a,
                        llvm::Value *b) {
  return EmitScope::get().builder.CreateBinOp(op, a, b);
}

llvm::Value *emitCompare(llvm::CmpInst::Predicate predicate, llvm::Value *a,
                         llvm::Value *b) {
  return EmitScope::get().builder.CreateCmp(predicate, a, b);
}

llvm::Value *emitIntrinsic(llvm::Intrinsic::ID id, llvm::Value *a) {
  return EmitScope::get().builder.CreateUnaryIntrinsic(id, a);
}

llvm::Value *emitFma(llvm::Value *a, llvm::Value *b, llvm::Value *c) {
  return EmitScope::get().builder.CreateIntrinsic(llvm::Intrinsic::fma,
                                                  {a->getType()}, {a, b, c});
}

void emitDivisionByZero(llvm::Value *any) {
  EmitScope &scope = EmitScope::get();
  if (scope.mask)
    any = scope.builder.CreateAnd(any, scope.mask);
  scope.divisionByZero = scope.divisionByZero
                             ? scope.builder.CreateOr(scope.divisionByZero, any)
                             : any;
}

/// A constant of the module with the contents of one of the known tables.
static llvm::GlobalVariable *tableIn(llvm::Module &module,
                                     const double *table) {
  using semantics::kTwoOverPi;
  assert(table == &kTwoOverPi[0].high && "the only table there is");
  if (auto *known = module.getNamedGlobal("two_over_pi"))
    return known;
  constexpr size_t count = 2 * std::size(kTwoOverPi);
  auto *data = llvm::ConstantDataArray::get(
      module.getContext(), llvm::ArrayRef<double>(table, count));
  return new llvm::GlobalVariable(module, data->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, data,
                                  "two_over_pi");
}

llvm::Value *emitLookup(const double *table, llvm::Value *index) {
  EmitScope &scope = EmitScope::get();
  llvm::IRBuilder<> &b = scope.builder;
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::GlobalVariable *global = tableIn(module, table);
  llvm::Value *wide = b.CreateZExt(index, scope.typeOf(b.getInt64Ty()));
  llvm::Value *pointers = b.CreateGEP(b.getDoubleTy(), global, wide);
  if (scope.width == 1)
    return b.CreateLoad(b.getDoubleTy(), pointers);
  return b.CreateMaskedGather(scope.typeOf(b.getDoubleTy()), pointers,
                              llvm::Align(8));
}

} // namespace neuron::simulator::compiled

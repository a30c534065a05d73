//===- SameKernels.cpp - kernels that are lowered once --------------------===//
#include "passes/lowering/SameKernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion/Chain.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

namespace {

class Writer {
public:
  explicit Writer(ArrayRef<PlacedKernel> chain) : chain(chain) {}

  std::optional<KernelSignature> write() {
    for (size_t i = 0; i < chain.size(); ++i)
      if (!writeKernel(i))
        return std::nullopt;
    return std::move(result);
  }

private:
  void number(uint64_t number) { result.words.push_back(number); }
  void number(const void *object) {
    number(reinterpret_cast<uintptr_t>(object));
  }
  void type(Value value) { number(value.getType().getAsOpaquePointer()); }
  void numbers(ArrayRef<int64_t> list) {
    number(list.size());
    result.words.insert(result.words.end(), list.begin(), list.end());
  }

  void location(Location location) {
    auto fused = dyn_cast<FusedLoc>(location);
    number(fused ? fused.getLocations().size() : 0);
    if (fused) {
      for (Location part : fused.getLocations())
        this->location(part);
      return;
    }
    number(result.locations.insert(location));
  }

  void attributes(Operation *op, StringRef leftOut = {}) {
    DictionaryAttr dictionary = op->getAttrDictionary();
    if (leftOut.empty())
      return number(dictionary.getAsOpaquePointer());
    number(dictionary.size());
    for (NamedAttribute attribute : dictionary)
      if (attribute.getName() != leftOut) {
        number(attribute.getName().getAsOpaquePointer());
        number(attribute.getValue().getAsOpaquePointer());
      }
  }

  void head(Operation *op) {
    number(op->getName().getAsOpaquePointer());
    attributes(op);
    location(op->getLoc());
    number(op->getNumResults());
    for (Value value : op->getResults())
      type(value);
  }

  /// Without its address: the variable.
  void place(const HbmValue &place) {
    number(result.variables.insert(place.variable));
    type(place.variable);
    auto argument = dyn_cast<BlockArgument>(place.variable);
    number(argument && writesInput(argument));
    number(place.layout.offset);
    numbers(place.layout.sizes);
    numbers(place.layout.strides);
  }

  static bool writesInput(BlockArgument argument) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return bool(
        function.getArgAttr(argument.getArgNumber(), "neuron.aliases_input"));
  }

  /// Of one kernel, lowering looks no further than at where its inputs lie. Of
  /// a chain, it wants to know what they come from.
  void input(Value value) {
    type(value);
    if (chain.size() == 1)
      return;
    while (auto view = value.getDefiningOp<ir::ViewOpInterface>()) {
      head(view);
      value = view.getViewed();
    }
    number(roots.try_emplace(value, roots.size()).first->second);
    Operation *maker = value.getDefiningOp();
    number(maker ? maker->getName().getAsOpaquePointer() : nullptr);
    if (auto constant = dyn_cast_or_null<ir::ConstantOp>(maker))
      attributes(constant);
    if (auto made = dyn_cast<OpResult>(value))
      number(made.getResultNumber());
    for (auto [i, placed] : llvm::enumerate(chain))
      if (ir::KernelOp(placed.kernel) == maker)
        number(i);
  }

  bool writeKernel(size_t index) {
    ir::KernelOp kernel = chain[index].kernel;
    const KernelMemory &memory = chain[index].memory;
    attributes(kernel, kernel.getSymAttrName());
    location(kernel.getLoc());
    Block &body = kernel.getBody().front();
    number(body.getNumArguments());
    for (auto [argument, from] :
         llvm::zip(body.getArguments(), kernel.getInputs())) {
      input(from);
      place(memory.read.find(argument)->second);
      location(argument.getLoc());
      values[argument] = values.size();
    }
    for (Operation &op : body) {
      if (op.getNumRegions() || op.getNumSuccessors())
        return false;
      head(&op);
      number(op.getNumOperands());
      for (Value operand : op.getOperands())
        number(values.find(operand)->second);
      for (Value made : op.getResults())
        values[made] = values.size();
    }
    for (auto [value, written] :
         llvm::zip(kernel.getResults(), memory.written)) {
      type(value);
      place(written);
      if (index + 1 < chain.size())
        number(fusion::isReadOnlyBy(value, chain[index + 1].kernel));
    }
    return true;
  }

  ArrayRef<PlacedKernel> chain;
  KernelSignature result;
  DenseMap<Value, size_t> values; ///< inside the kernels, in their order
  DenseMap<Value, size_t> roots;
};

/// A location that keeps these in their order, for the emission to pair them.
Location listOf(ArrayRef<Location> locations, MLIRContext *context) {
  SmallVector<Attribute> list(locations.begin(), locations.end());
  return FusedLoc::get(locations, ArrayAttr::get(context, list), context);
}

template <typename T>
SmallVector<T> chosen(const Numbered<T> &from, ArrayRef<unsigned> indices) {
  return llvm::map_to_vector(indices,
                             [&](unsigned index) { return from.all[index]; });
}

/// The variables and locations of a kernel, as those of a signature; false if
/// the signature lacks one.
class Uses {
public:
  explicit Uses(const KernelSignature &signature) : signature(signature) {}

  bool collect(nisa::KernelOp kernel) {
    WalkResult walked = kernel.getBody().walk([&](Operation *op) {
      bool isKnown = use(op->getLoc());
      for (Value operand : op->getOperands())
        if (operand.getParentRegion() == kernel->getParentRegion())
          isKnown &= use(signature.variables, operand, variables);
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !walked.wasInterrupted();
  }

  llvm::SmallSetVector<unsigned, 8> variables, locations;

private:
  template <typename T>
  static bool use(const Numbered<T> &of, T one,
                  llvm::SmallSetVector<unsigned, 8> &into) {
    auto found = of.indices.find(one);
    if (found == of.indices.end())
      return false;
    into.insert(found->second);
    return true;
  }
  bool use(Location location) {
    auto fused = dyn_cast<FusedLoc>(location);
    if (!fused)
      return use(signature.locations, location, locations);
    return llvm::all_of(fused.getLocations(),
                        [&](Location part) { return use(part); });
  }
  const KernelSignature &signature;
};

} // namespace

std::optional<KernelSignature>
lowering::signatureOf(ArrayRef<PlacedKernel> chain) {
  return Writer(chain).write();
}

void SameKernels::add(KernelSignature signature, ArrayRef<Emitted> emitted) {
  std::vector<Lowered> lowered;
  for (const Emitted &one : emitted) {
    Uses uses(signature);
    if (!uses.collect(one.kernel))
      return; // it is of more than the signature says
    lowered.push_back(
        {one, uses.variables.takeVector(), uses.locations.takeVector()});
  }
  known.try_emplace(std::move(signature), std::move(lowered));
}

bool SameKernels::repeat(const KernelSignature &signature,
                         ArrayRef<PlacedKernel> chain, OpBuilder &b) {
  auto found = known.find(signature);
  if (found == known.end())
    return false;
  const KernelSignature &first = found->first;
  for (const Lowered &lowered : found->second) {
    nisa::KernelOp kernel = lowered.emitted.kernel;
    auto kernels = llvm::map_to_vector(
        chain.take_front(lowered.emitted.stages),
        [](const PlacedKernel &placed) { return placed.kernel; });
    chain = chain.drop_front(lowered.emitted.stages);
    kernel->setLoc(
        listOf(chosen(first.locations, lowered.locations), b.getContext()));
    auto repeat = nisa::RepeatOp::create(
        b,
        listOf(chosen(signature.locations, lowered.locations), b.getContext()),
        b.getStringAttr(nameOfChain(kernels)), kernel.getSymAttr(),
        chosen(first.variables, lowered.variables),
        chosen(signature.variables, lowered.variables));
    repeats[kernel].push_back(repeat);
  }
  return true;
}

void SameKernels::nameApart(Block &function) {
  llvm::StringMap<unsigned> names; // and how many kernels have them
  for (Operation &op : function) {
    if (auto kernel = dyn_cast<nisa::KernelOp>(op))
      ++names[kernel.getSym()];
    else if (auto repeat = dyn_cast<nisa::RepeatOp>(op))
      ++names[repeat.getSym()];
  }
  for (auto &[kernel, copies] : repeats) {
    std::string name = kernel.getSym().str();
    if (names[name] == 1)
      continue;
    unsigned number = 1;
    while (names.contains(name + "_" + std::to_string(number)))
      ++number;
    name += "_" + std::to_string(number);
    names[name] = 1;
    nisa::KernelOp(kernel).setSym(name);
    for (nisa::RepeatOp repeat : copies)
      repeat.setKernel(name);
  }
}

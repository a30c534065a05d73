//===- KernelWorks.cpp - what the kernels of a program have to do ---------===//
#include "compiler/pipeline/KernelWorks.h"
#include "dialects/nisa/Nisa.h"
#include "passes/lowering/DescribeWork.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace neuron;

/// Folders of files that no user wrote.
static constexpr llvm::StringLiteral kOurs[] = {"/torch_neuronx/", "/torch/"};

std::string pipeline::userLineOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    StringRef file = place.getFilename();
    bool isOurs = file.empty() || llvm::any_of(kOurs, [&](StringRef folder) {
                    return file.contains(folder);
                  });
    return isOurs ? std::string()
                  : (file + ":" + llvm::Twine(place.getLine())).str();
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return userLineOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    std::string line = userLineOf(call.getCallee());
    return line.empty() ? userLineOf(call.getCaller()) : line;
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string line = userLineOf(part); !line.empty())
        return line;
  return {};
}

std::vector<report::KernelWork> pipeline::worksOf(func::FuncOp function) {
  std::vector<report::KernelWork> works;
  llvm::StringMap<size_t> kernels; ///< by name, the first of that name
  for (Operation &op : function.getBody().front()) {
    report::KernelWork work;
    if (auto repeat = dyn_cast<nisa::RepeatOp>(op)) {
      // Does the same on other variables.
      work = works[kernels.lookup(repeat.getKernel())];
      work.name = repeat.getSym().str();
    } else if (auto kernel = dyn_cast<nisa::KernelOp>(op)) {
      work.name = kernel.getSym().str();
      kernels.try_emplace(work.name, works.size());
      if (auto noted = op.getAttrOfType<DictionaryAttr>(lowering::kWorkAttr)) {
        work.known = true;
        work.work = lowering::workOf(noted);
      }
    } else {
      continue;
    }
    work.line = userLineOf(op.getLoc());
    works.push_back(std::move(work));
  }
  return works;
}

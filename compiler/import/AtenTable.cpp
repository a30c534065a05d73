//===- AtenTable.cpp - look-up over the parts of the table ----------------===//
#include "compiler/import/AtenTable.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

using namespace neuron::import;

llvm::ArrayRef<const AtenRow *> neuron::import::allAtenRows() {
  static const std::vector<const AtenRow *> rows = [] {
    std::vector<const AtenRow *> all;
    for (llvm::ArrayRef<AtenRow> part : {
             elementwiseRows(),
             specialRows(),
             castRows(),
             reductionRows(),
             viewRows(),
             creationRows(),
             namedRows(),
             contractionRows(),
             attentionRows(),
             convolutionRows(),
             movementRows(),
             poolRows(),
             indexingRows(),
             sequenceRows(),
         })
      for (const AtenRow &row : part)
        all.push_back(&row);
    return all;
  }();
  return rows;
}

const AtenRow *neuron::import::findAtenRow(llvm::StringRef target) {
  static const llvm::StringMap<const AtenRow *> index = [] {
    llvm::StringMap<const AtenRow *> map;
    for (const AtenRow *row : allAtenRows())
      map[row->target] = row;
    return map;
  }();
  return index.lookup(target);
}

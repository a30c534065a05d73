//===- DmaCost.cpp - what a DMA costs the DMA engines ---------------------===//
#include "runtime/simulator/DmaCost.h"
#include <algorithm>

namespace neuron::simulator {

DmaCost::DmaCost(const target::Target &target, const program::Instruction &dma)
    : target(target), parts(dma.parts) {
  const program::Operand &tile = dma.moved();
  elems = tile.elems;
  elementBytes = bytesOf(tile.dtype);
  const program::HbmAccess &hbm = dma.hbm;
  if (dma.isIndexed())
    software = target.dmaSoftwareDescriptor;
  if (dma.isIndexed() && dma.indices().elems > 1)
    return;
  for (size_t i = hbm.colSizes.size(); i-- > 0;) {
    if (hbm.colSizes[i] == 1)
      continue;
    if (hbm.colStrides[i] != run)
      break;
    run *= hbm.colSizes[i];
  }
}

int64_t DmaCost::descriptorTime(int64_t elements) const {
  int64_t bytes = elements * elementBytes;
  int64_t payload =
      bytes * 1000000 / target.dmaBandwidth + target.dmaDescriptor;
  int64_t slow = std::min<int64_t>(bytes * 1000000 / target.dmaShortBandwidth,
                                   target.dmaShortTime);
  return std::max({target.dmaMinimumDescriptor.value, payload, slow}) +
         software;
}

int64_t DmaCost::partitionTime(int64_t firstColumn) const {
  int64_t first = std::min(elems, run - firstColumn % run);
  int64_t whole = (elems - first) / run, last = (elems - first) % run;
  return descriptorTime(first) + whole * descriptorTime(run) +
         (last ? descriptorTime(last) : 0);
}

} // namespace neuron::simulator

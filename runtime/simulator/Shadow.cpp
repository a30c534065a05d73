//===- Shadow.cpp - who touched what --------------------------------------===//
#include "runtime/simulator/Shadow.h"
#include <algorithm>

namespace neuron::simulator {

std::optional<size_t> Shadow::firstUnordered(const Stamps &stamps, size_t begin,
                                             size_t end, unsigned unit,
                                             const Order &order) {
  Stamp last; // neighbours mostly have the same event
  for (size_t cell = begin; cell < end; ++cell) {
    if (stamps[cell] == last)
      continue;
    last = stamps[cell];
    if (!order.isBefore(last, unit))
      return cell;
  }
  return std::nullopt;
}

std::optional<Shadow::Conflict> Shadow::read(size_t begin, size_t end,
                                             Stamp now, const Order &order) {
  if (auto cell = firstUnordered(writes, begin, end, now.unit(), order))
    return Conflict{*cell, writes[*cell], true};
  Stamps &mine = reads[now.unit()];
  if (!mine)
    mine = Stamps(cells);
  std::fill(mine.data() + begin, mine.data() + end, now);
  return std::nullopt;
}

std::optional<Shadow::Conflict> Shadow::write(size_t begin, size_t end,
                                              Stamp now, const Order &order) {
  if (auto cell = firstUnordered(writes, begin, end, now.unit(), order))
    return Conflict{*cell, writes[*cell], true};
  for (const Stamps &stamps : reads)
    if (stamps)
      if (auto cell = firstUnordered(stamps, begin, end, now.unit(), order))
        return Conflict{*cell, stamps[*cell], false};
  std::fill(writes.data() + begin, writes.data() + end, now);
  return std::nullopt;
}

std::optional<size_t> Shadow::firstUnwritten(size_t begin, size_t end) const {
  for (size_t cell = begin; cell < end; ++cell)
    if (!writes[cell])
      return cell;
  return std::nullopt;
}

} // namespace neuron::simulator

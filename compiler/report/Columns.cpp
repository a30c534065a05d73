//===- Columns.cpp - aligned columns of text ------------------------------===//
#include "compiler/report/Columns.h"
#include <algorithm>

namespace neuron::report {

Columns::Columns(std::vector<std::string> head, std::vector<unsigned> right)
    : isRight(head.size()) {
  for (unsigned column : right)
    isRight[column] = true;
  lines.push_back(std::move(head));
}

std::string Columns::text() const {
  std::vector<size_t> widths(isRight.size());
  for (const auto &line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto &line : lines) {
    std::string one;
    for (size_t i = 0; i < line.size(); ++i) {
      std::string gap(widths[i] - line[i].size(), ' ');
      one += (i ? "  " : "") + (isRight[i] ? gap + line[i] : line[i] + gap);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

} // namespace neuron::report

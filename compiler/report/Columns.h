//===- Columns.h - aligned columns of text ----------------------*- C++ -*-===//
#pragma once
#include <string>
#include <vector>

namespace neuron::report {

class Columns {
public:
  /// `right`: the columns that end at one edge; the others begin at one.
  Columns(std::vector<std::string> head, std::vector<unsigned> right);

  /// As many cells as the head has.
  void add(std::vector<std::string> cells) {
    lines.push_back(std::move(cells));
  }
  std::string text() const;

private:
  std::vector<std::vector<std::string>> lines;
  std::vector<bool> isRight;
};

} // namespace neuron::report

//===- Table.cpp - the roofline of a program's kernels as text ------------===//
#include "compiler/report/Table.h"
#include "compiler/report/Bound.h"
#include "compiler/report/Columns.h"
#include <cstdio>

namespace neuron::report {
namespace {

std::string microseconds(double picoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", picoseconds / 1e6);
  return text;
}

std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f%%", part * 100);
  return text;
}

std::string nameOf(const target::Target &target) {
  return std::string(target.name) + (target.validated ? "" : " (unvalidated)");
}

/// What the columns are; device times never stand without saying whose.
std::string heading(const std::vector<Roofline> &targets) {
  std::string names;
  bool validated = true;
  for (const Roofline &one : targets) {
    names += (names.empty() ? "" : ", ") + nameOf(*one.target);
    validated &= one.target->validated;
  }
  return "roofline for " + names +
         "\n"
         "predicted: device time by the simulator's timing model, a "
         "prediction\n"
         "bound: least time by the graph and the target's parameters alone\n" +
         (validated ? ""
                    : "unvalidated: no published measurement was compared "
                      "with this target's predictions\n");
}

/// Bounds and predictions of some kernels, added up.
struct Sum {
  double bound = 0, predicted = 0;
  bool known = true; ///< all bounds are

  void add(const Sum &other) {
    bound += other.bound;
    predicted += other.predicted;
    known &= other.known;
  }
  std::string boundText() const { return known ? microseconds(bound) : "-"; }
  std::string partText() const {
    return known && predicted > 0 ? percent(bound / predicted) : "-";
  }
};

Sum timesOf(const Roofline &roofline, size_t i) {
  const KernelWork &work = roofline.works[i];
  return {work.known ? boundOf(work.work, *roofline.target).time() : 0,
          double(roofline.prediction.kernels[i].time), work.known};
}

std::string footer(const Roofline &roofline) {
  return "an execution on " + std::string(roofline.target->name) + ": " +
         microseconds(double(roofline.prediction.total)) +
         " us predicted, of which " +
         microseconds(double(roofline.target->launch)) + " us launch\n";
}

std::string bodyOf(const Roofline &roofline) {
  Columns columns({"kernel", "HBM bytes", "flops", "bound us", "predicted us",
                   "of bound", "limited by", "line"},
                  /*right=*/{1, 2, 3, 4, 5});
  Sum all;
  int64_t bytes = 0, flops = 0;
  auto count = [](bool known, int64_t value) {
    return known ? std::to_string(value) : "-";
  };
  for (size_t i = 0; i < roofline.works.size(); ++i) {
    const KernelWork &it = roofline.works[i];
    const KernelTime &kernel = roofline.prediction.kernels[i];
    Sum times = timesOf(roofline, i);
    all.add(times);
    bytes += it.work.hbm_bytes;
    flops += it.work.flops;
    std::string limit = kernel.limit;
    if (kernel.share > 0.5)
      limit += " " + percent(kernel.share);
    columns.add({it.name, count(it.known, it.work.hbm_bytes),
                 count(it.known, it.work.flops), times.boundText(),
                 microseconds(times.predicted), times.partText(), limit,
                 it.line.empty() ? "-" : it.line});
  }
  columns.add({"sum", count(all.known, bytes), count(all.known, flops),
               all.boundText(), microseconds(all.predicted), all.partText(), "",
               ""});
  return columns.text() + footer(roofline);
}

bool sameKernels(const std::vector<Roofline> &targets) {
  for (const Roofline &one : targets) {
    if (one.works.size() != targets.front().works.size())
      return false;
    for (size_t i = 0; i < one.works.size(); ++i)
      if (one.works[i].name != targets.front().works[i].name)
        return false;
  }
  return true;
}

} // namespace

std::string tableOf(const Roofline &roofline) {
  return heading({roofline}) + "\n" + bodyOf(roofline);
}

std::string tableOf(const std::vector<Roofline> &targets) {
  if (targets.size() == 1)
    return tableOf(targets.front());
  std::string text = heading(targets) + "\n";
  if (!sameKernels(targets)) {
    for (const Roofline &one : targets)
      text += nameOf(*one.target) + ", which has kernels of its own:\n" +
              bodyOf(one) + "\n";
    return text;
  }
  std::vector<std::string> head{"kernel"};
  std::vector<unsigned> right;
  for (const Roofline &one : targets)
    for (const char *what : {" bound us", " predicted us"}) {
      right.push_back(unsigned(head.size()));
      head.push_back(std::string(one.target->name) +
                     (one.target->validated ? "" : "*") + what);
    }
  head.push_back("line");
  Columns columns(head, right);
  std::vector<Sum> sums(targets.size());
  const std::vector<KernelWork> &works = targets.front().works;
  for (size_t i = 0; i < works.size(); ++i) {
    std::vector<std::string> cells{works[i].name};
    for (size_t t = 0; t < targets.size(); ++t) {
      Sum times = timesOf(targets[t], i);
      sums[t].add(times);
      cells.push_back(times.boundText());
      cells.push_back(microseconds(times.predicted));
    }
    cells.push_back(works[i].line.empty() ? "-" : works[i].line);
    columns.add(std::move(cells));
  }
  std::vector<std::string> cells{"sum"};
  for (const Sum &sum : sums) {
    cells.push_back(sum.boundText());
    cells.push_back(microseconds(sum.predicted));
  }
  cells.push_back("");
  columns.add(std::move(cells));
  text += columns.text();
  for (const Roofline &one : targets)
    text += footer(one);
  for (const Roofline &one : targets)
    if (!one.target->validated) {
      text += "* unvalidated\n";
      break;
    }
  return text;
}

} // namespace neuron::report

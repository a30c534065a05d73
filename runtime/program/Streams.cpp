//===- Streams.cpp - what each engine runs --------------------------------===//
#include "runtime/program/Streams.h"

namespace neuron::program {
namespace {

void number(const std::vector<Node> &nodes, uint32_t kernel, uint32_t &index,
            std::vector<StaticInstruction> &all) {
  for (const Node &node : nodes) {
    if (auto *loop = std::get_if<Loop>(&node))
      number(loop->body, kernel, index, all);
    else if (auto *instruction = std::get_if<Instruction>(&node))
      all.push_back({instruction, kernel, index++});
  }
}

} // namespace

Streams::Streams(const Program &program) : source(program) {
  for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    uint32_t index = 0;
    begins.push_back(static_cast<uint32_t>(all.size()));
    number(program.kernels[kernel].body, kernel, index, all);
  }
  begins.push_back(static_cast<uint32_t>(all.size()));
  for (unsigned i = 0; i < kNumEngines; ++i) {
    nextNumber = 0;
    for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
      derive(program.kernels[kernel].body, static_cast<Unit>(i), kernel, 0);
      code[i].push_back({.kind = Operation::Kind::Barrier,
                         .endsKernel = true,
                         .kernel = kernel});
    }
  }
}

/// Appends the engine's part of `nodes`; whether there is any.
bool Streams::derive(const std::vector<Node> &nodes, Unit engine,
                     uint32_t kernel, uint32_t depth) {
  auto &out = code[static_cast<unsigned>(engine)];
  size_t start = out.size();
  for (const Node &node : nodes) {
    if (auto *loop = std::get_if<Loop>(&node)) {
      out.push_back(
          {.kind = Operation::Kind::Enter, .depth = depth, .kernel = kernel});
      size_t body = out.size();
      if (!derive(loop->body, engine, kernel, depth + 1)) {
        out.pop_back(); // the engine has no part in this loop
        continue;
      }
      out.push_back({.kind = Operation::Kind::Repeat,
                     .depth = depth,
                     .kernel = kernel,
                     .count = loop->count,
                     .target = body});
    } else if (auto *instruction = std::get_if<Instruction>(&node)) {
      uint32_t number = nextNumber++;
      if (instruction->engine == engine)
        out.push_back({.kind = Operation::Kind::Run,
                       .depth = depth,
                       .kernel = kernel,
                       .number = number});
    } else {
      out.push_back(
          {.kind = Operation::Kind::Barrier, .depth = depth, .kernel = kernel});
    }
  }
  return out.size() != start;
}

Stream::Stream(const Streams &streams, Unit engine)
    : streams(&streams), code(&streams.code[static_cast<unsigned>(engine)]) {
  settle();
}

void Stream::skipKernel() {
  while (!(*code)[position].endsKernel)
    ++position;
  now.counters = {};
  advance();
}

void Stream::settle() {
  using Kind = Streams::Operation::Kind;
  for (; position < code->size(); ++position) {
    const Streams::Operation &operation = (*code)[position];
    if (operation.kind == Kind::Enter) {
      now.counters[operation.depth] = 0;
      continue;
    }
    if (operation.kind == Kind::Repeat) {
      if (++now.counters[operation.depth] < operation.count)
        position = operation.target - 1;
      else
        now.counters[operation.depth] = 0;
      continue;
    }
    bool runs = operation.kind == Kind::Run;
    now.instruction =
        runs ? streams->all[operation.number].instruction : nullptr;
    now.number = operation.number;
    now.kernel = operation.kernel;
    now.depth = operation.depth;
    now.endsKernel = operation.endsKernel;
    return;
  }
}

} // namespace neuron::program

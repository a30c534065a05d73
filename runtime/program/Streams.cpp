//===- Streams.cpp - what each engine runs --------------------------------===//
#include "runtime/program/Streams.h"

namespace neuron::program {

static constexpr unsigned kAllEngines = (1u << kNumEngines) - 1;

Streams::Streams(const Program &program) : source(program) {
  for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    begins.push_back(static_cast<uint32_t>(all.size()));
    derive(program.kernels[kernel].body, kernel, 0);
    append(kAllEngines, {.kind = Operation::Kind::Barrier,
                         .endsKernel = true,
                         .kernel = kernel});
  }
  begins.push_back(static_cast<uint32_t>(all.size()));
}

void Streams::append(Engines to, const Operation &operation) {
  for (unsigned i = 0; i < kNumEngines; ++i)
    if (to >> i & 1)
      code[i].push_back(operation);
}

/// Appends `nodes` to the code of the engines that have a part in them.
Streams::Engines Streams::derive(const std::vector<Node> &nodes,
                                 uint32_t kernel, uint32_t depth) {
  using Kind = Operation::Kind;
  Engines used = 0;
  for (const Node &node : nodes) {
    if (auto *loop = std::get_if<Loop>(&node)) {
      append(kAllEngines,
             {.kind = Kind::Enter, .depth = depth, .kernel = kernel});
      std::array<size_t, kNumEngines> bodies;
      for (unsigned i = 0; i < kNumEngines; ++i)
        bodies[i] = code[i].size();
      Engines inside = derive(loop->body, kernel, depth + 1);
      for (unsigned i = 0; i < kNumEngines; ++i)
        if (inside >> i & 1)
          code[i].push_back({.kind = Kind::Repeat,
                             .depth = depth,
                             .kernel = kernel,
                             .count = loop->count,
                             .target = bodies[i]});
        else
          code[i].pop_back(); // the engine has no part in this loop
      used |= inside;
    } else if (auto *instruction = std::get_if<Instruction>(&node)) {
      auto number = static_cast<uint32_t>(all.size());
      all.push_back({instruction, kernel, number - begins.back()});
      Engines engine = 1u << static_cast<unsigned>(instruction->engine);
      append(engine, {.kind = Kind::Run,
                      .depth = depth,
                      .kernel = kernel,
                      .number = number});
      used |= engine;
    } else {
      append(kAllEngines,
             {.kind = Kind::Barrier, .depth = depth, .kernel = kernel});
      used = kAllEngines;
    }
  }
  return used;
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

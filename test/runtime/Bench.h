//===- Bench.h - one instruction and its data -------------------*- C++ -*-===//
//
// A program of one kernel that loads its inputs, runs what the test adds, and
// stores its outputs:
//
//   Bench bench(form, 5);                       // partitions
//   Operand x = bench.in(DType::F32, values);   // values.size() / 5 elements
//   Operand y = bench.out(DType::F32, 7);
//   bench.b.copy(Unit::Vector, 5, y, x);
//   std::vector<float> result = bench.run<float>(y);
//
//===----------------------------------------------------------------------===//
#pragma once
#include "Forms.h"
#include "runtime/program/Builder.h"
#include "runtime/program/Verify.h"
#include <cstring>
#include <gtest/gtest.h>

namespace neuron::simulator {

class Bench {
public:
  Bench(const Form &form, uint16_t parts) : parts(parts), form(form) {
    b.kernel("k");
  }

  program::Builder b;
  const uint16_t parts;

  /// A tile that holds the values, row by row. Inputs come before instructions.
  template <typename T>
  program::Operand in(program::DType dtype, const std::vector<T> &values,
                      uint8_t stride = 1) {
    EXPECT_EQ(sizeof(T), bytesOf(dtype));
    auto elems = uint32_t(values.size() / parts);
    program::Operand tile = place(dtype, elems, stride);
    uint32_t tensor = bind(program::TensorKind::Input, dtype, elems);
    std::memcpy(memory[tensor].data(), values.data(),
                values.size() * sizeof(T));
    b.load(program::Unit::Sync, program::queue(0), parts, tile,
           b.window(tensor, parts, elems));
    return tile;
  }

  /// A tile whose contents `run` stores. Call after all inputs.
  program::Operand out(program::DType dtype, uint32_t elems,
                       uint8_t stride = 1) {
    program::Operand tile = place(dtype, elems, stride);
    outputs.push_back({tile, bind(program::TensorKind::Output, dtype, elems)});
    if (outputs.size() == 1)
      b.barrier();
    return tile;
  }

  Outcome run() {
    b.barrier();
    for (const Output &output : outputs)
      b.store(program::Unit::Sync, program::queue(1), parts,
              b.window(output.tensor, parts, output.tile.elems), output.tile);
    Status status = program::verify(b.program);
    if (!status.ok())
      return {Fault::Internal, status.message()};
    auto executable =
        form.create(std::make_shared<program::Program>(b.program));
    if (!executable.ok())
      return {Fault::Internal, executable.message()};
    std::vector<Buffer> buffers;
    for (auto &bytes : memory)
      buffers.push_back({bytes.data(), int64_t(bytes.size())});
    return (*executable)->run(buffers);
  }

  /// Runs and returns what the output holds then.
  template <typename T> std::vector<T> run(const program::Operand &tile) {
    Outcome outcome = run();
    EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
    return contents<T>(tile);
  }

  /// After a run.
  template <typename T> std::vector<T> contents(const program::Operand &tile) {
    for (const Output &output : outputs)
      if (output.tile.offset == tile.offset) {
        const auto &bytes = memory[output.tensor];
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
      }
    ADD_FAILURE() << "not an output";
    return {};
  }

private:
  struct Output {
    program::Operand tile;
    uint32_t tensor;
  };

  program::Operand place(program::DType dtype, uint32_t elems, uint8_t stride) {
    program::Operand tile = program::tile(dtype, offset, elems, stride);
    offset +=
        (elems * std::max<uint32_t>(stride, 1) * bytesOf(dtype) + 63) / 64 * 64;
    return tile;
  }

  uint32_t bind(program::TensorKind kind, program::DType dtype,
                uint32_t elems) {
    names.push_back("t" + std::to_string(memory.size()));
    memory.emplace_back(size_t(parts) * elems * bytesOf(dtype));
    return b.tensor(names.back().c_str(), kind, dtype, {parts, elems});
  }

  const Form &form;
  uint32_t offset = 0;
  std::vector<std::string> names;
  std::vector<std::vector<uint8_t>> memory; ///< by tensor
  std::vector<Output> outputs;
};

} // namespace neuron::simulator

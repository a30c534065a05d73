//===- CompiledProgramsTest.cpp - what the compiler's programs rest on ----===//
//
// Compiles kernels of each kind (rows that fit, rows in chunks, GpSimd types,
// row-invariant operands, several tiles with a rest) and then:
//   - runs them: the checks of the interpreter find nothing;
//   - removes each wait in turn: each is missed, as a race;
//   - changes one immediate, function, address, loop count: the result, or what
//     the checks say, changes with it. Numbers come from the program alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Verify.h"
#include "test/compiler/CompileText.h"
#include "test/runtime/Forms.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace neuron;
using namespace neuron::program;

namespace {

struct Sample {
  const char *name;
  const char *text;
};

const Sample kSamples[] = {
    {"rms_norm", R"(
func.func @main(%x: tensor<300x64xf32>, %w: tensor<64xf32>) -> tensor<300x64xf32> {
  %0 = neuron.rms_norm %x weight %w : tensor<64xf32> dims [1] eps 1.0e-03 : tensor<300x64xf32> -> tensor<300x64xf32>
  return %0 : tensor<300x64xf32>
})"},
    {"softmax_and_argmax", R"(
func.func @main(%x: tensor<5x37xf32>) -> (tensor<5x37xf32>, tensor<5xi64>) {
  %0 = neuron.softmax %x dims [1] : tensor<5x37xf32>
  %1 = neuron.argmax %x dims [1] : (tensor<5x37xf32>) -> tensor<5xi64>
  return %0, %1 : tensor<5x37xf32>, tensor<5xi64>
})"},
    {"long_rows", R"(
func.func @main(%x: tensor<2x90000xf32>) -> tensor<2x90000xf32> {
  %0 = neuron.layer_norm %x dims [1] eps 1.0e-05 : tensor<2x90000xf32> -> tensor<2x90000xf32>
  return %0 : tensor<2x90000xf32>
})"},
    {"integers_and_doubles", R"(
func.func @main(%x: tensor<640x9xi64>, %y: tensor<640x9xf64>) -> (tensor<640x9xi64>, tensor<640x9xf64>) {
  %0 = neuron.mul %x, %x : (tensor<640x9xi64>, tensor<640x9xi64>) -> tensor<640x9xi64>
  %1 = neuron.sqrt %y : tensor<640x9xf64>
  return %0, %1 : tensor<640x9xi64>, tensor<640x9xf64>
})"},
    {"product", R"(
func.func @main(%x: tensor<150x140xf32>, %y: tensor<140x20xf32>, %b: tensor<20xf32>) -> tensor<150x20xf32> {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<150x140xf32>, tensor<140x20xf32> -> tensor<150x20xf32>
  %1 = neuron.add %0, %b : (tensor<150x20xf32>, tensor<20xf32>) -> tensor<150x20xf32>
  return %1 : tensor<150x20xf32>
})"},
    // One loop: the rows of scores stay on chip.
    {"chain", R"(
func.func @main(%q: tensor<2x160x16xf32>, %k: tensor<2x16x40xf32>, %v: tensor<2x40x16xf32>) -> tensor<2x160x16xf32> {
  %0 = neuron.matmul %q, %k batch 1 contract 1 : tensor<2x160x16xf32>, tensor<2x16x40xf32> -> tensor<2x160x40xf32>
  %1 = neuron.softmax %0 dims [2] : tensor<2x160x40xf32>
  %2 = neuron.matmul %1, %v batch 1 contract 1 : tensor<2x160x40xf32>, tensor<2x40x16xf32> -> tensor<2x160x16xf32>
  return %2 : tensor<2x160x16xf32>
})"},
    {"scan", R"(
func.func @main(%x: tensor<300x33xf32>) -> tensor<300x33xf32> {
  %0 = neuron.scan %x dims [1] kind "sum" : tensor<300x33xf32>
  %1 = neuron.mul %0, %x : (tensor<300x33xf32>, tensor<300x33xf32>) -> tensor<300x33xf32>
  return %1 : tensor<300x33xf32>
})"},
    // The numbers of inputs are indices below 2500.
    {"gather", R"(
func.func @main(%x: tensor<2500x3xf32>, %i: tensor<150x1xi64>) -> tensor<150x3xf32> {
  %0 = neuron.gather %x, %i : tensor<2500x3xf32>, tensor<150x1xi64> -> tensor<150x3xf32>
  %1 = neuron.mul %0, %0 : (tensor<150x3xf32>, tensor<150x3xf32>) -> tensor<150x3xf32>
  return %1 : tensor<150x3xf32>
})"},
    {"scatter", R"(
func.func @main(%x: tensor<2500x3xf32>, %i: tensor<150x1xi64>, %u: tensor<150x3xf32>) -> tensor<2500x3xf32> {
  %0 = neuron.scatter %x, %i, %u reduce "sum" : tensor<2500x3xf32>, tensor<150x1xi64>, tensor<150x3xf32> -> tensor<2500x3xf32>
  return %0 : tensor<2500x3xf32>
})"},
    {"sort", R"(
func.func @main(%x: tensor<150x33xf32>) -> (tensor<150x33xf32>, tensor<150x33xi64>) {
  %0 = neuron.sort %x dims [1] : tensor<150x33xf32>
  %1 = neuron.argsort %x dims [1] : tensor<150x33xf32> -> tensor<150x33xi64>
  return %0, %1 : tensor<150x33xf32>, tensor<150x33xi64>
})"},
};

Program compile(const char *text) { return programOf(compileText(text)); }

/// Deterministic numbers between 0.5 and 2.5, in the tensor's type.
std::vector<uint8_t> inputFor(const Tensor &tensor) {
  std::vector<uint8_t> bytes(tensor.bytes());
  for (int64_t i = 0; i < tensor.span; ++i) {
    double number = 0.5 + double((i * 7919 + 13) % 2000) / 1000;
    uint8_t *at = bytes.data() + i * bytesOf(tensor.dtype);
    if (tensor.dtype == DType::F32) {
      float value = float(number);
      std::memcpy(at, &value, sizeof value);
    } else if (tensor.dtype == DType::F64) {
      std::memcpy(at, &number, sizeof number);
    } else if (tensor.dtype == DType::I64) {
      int64_t value = int64_t(number * 1000);
      std::memcpy(at, &value, sizeof value);
    }
  }
  return bytes;
}

struct Execution {
  simulator::Outcome outcome;
  std::vector<std::vector<uint8_t>> outputs;
};

enum class In { Interpreter, Compiled };

Execution run(const Program &program, In form = In::Interpreter) {
  Execution result;
  std::vector<std::vector<uint8_t>> memory;
  std::vector<simulator::Buffer> buffers;
  for (const Tensor &tensor : program.tensors) {
    bool isBound =
        tensor.kind == TensorKind::Input || tensor.kind == TensorKind::Output;
    memory.push_back(tensor.kind == TensorKind::Input ? inputFor(tensor)
                     : isBound ? std::vector<uint8_t>(tensor.bytes())
                               : std::vector<uint8_t>());
    buffers.push_back(isBound ? simulator::Buffer{memory.back().data(),
                                                  int64_t(memory.back().size())}
                              : simulator::Buffer{});
  }
  auto executable = simulator::allForms()[size_t(form)].create(
      std::make_shared<Program>(program));
  EXPECT_TRUE(executable.ok()) << executable.message();
  result.outcome = (*executable)->run(buffers);
  for (size_t i = 0; i < memory.size(); ++i)
    if (program.tensors[i].kind == TensorKind::Output)
      result.outputs.push_back(memory[i]);
  return result;
}

template <typename Visit> void forEach(std::vector<Node> &nodes, Visit visit) {
  for (Node &node : nodes) {
    if (auto *loop = std::get_if<Loop>(&node))
      forEach(loop->body, visit);
    else if (auto *instruction = std::get_if<Instruction>(&node))
      visit(*instruction);
  }
}
template <typename Visit> void forEach(Program &program, Visit visit) {
  for (Kernel &kernel : program.kernels)
    forEach(kernel.body, visit);
}

class CompiledPrograms : public testing::TestWithParam<Sample> {};

TEST_P(CompiledPrograms, RunUnderAllChecks) {
  Execution result = run(compile(GetParam().text));
  EXPECT_EQ(result.outcome.fault, simulator::Fault::None)
      << result.outcome.message;
}

TEST_P(CompiledPrograms, CompileToTheSameBytes) {
  EXPECT_EQ(compileText(GetParam().text).neff,
            compileText(GetParam().text).neff);
}

TEST_P(CompiledPrograms, NeedEachOfTheirWaits) {
  const Program program = compile(GetParam().text);
  size_t waits = 0;
  {
    Program counted = program;
    forEach(counted, [&](Instruction &i) { waits += i.waits.size(); });
  }
  ASSERT_GT(waits, 0u);
  for (size_t removed = 0; removed < waits; ++removed) {
    Program changed = program;
    size_t at = 0;
    forEach(changed, [&](Instruction &instruction) {
      for (size_t i = 0; i < instruction.waits.size(); ++i)
        if (at++ == removed) {
          instruction.waits.erase(instruction.waits.begin() + i);
          return;
        }
    });
    Execution result = run(changed);
    EXPECT_EQ(result.outcome.fault, simulator::Fault::Race)
        << "without wait " << removed << ": " << result.outcome.message;
  }
}

TEST_P(CompiledPrograms, ComputeFromTheProgramAlone) {
  const Program program = compile(GetParam().text);
  const Execution expected = run(program);
  EXPECT_EQ(run(program, In::Compiled).outputs, expected.outputs);
  auto differs = [&](const Program &changed, const char *what) {
    if (!verify(changed).ok())
      return; // refused before it runs
    Execution result = run(changed);
    bool isFine = result.outcome.fault == simulator::Fault::None;
    EXPECT_FALSE(isFine && result.outputs == expected.outputs)
        << what << " changed, and nothing came of it";
    if (isFine) {
      EXPECT_EQ(run(changed, In::Compiled).outputs, result.outputs)
          << what << " changed: the forms do not agree";
    }
  };
  size_t count = 0;
  {
    Program counted = program;
    forEach(counted, [&](Instruction &) { ++count; });
  }
  for (size_t target = 0; target < count; ++target) {
    auto change = [&](const char *what, auto edit) {
      Program changed = program;
      size_t at = 0;
      bool edited = false;
      forEach(changed, [&](Instruction &instruction) {
        if (at++ == target)
          edited = edit(instruction);
      });
      if (edited)
        differs(changed, what);
    };
    change("a function", [](Instruction &instruction) {
      if (instruction.opcode == Opcode::TensorTensor ||
          instruction.opcode == Opcode::ScalarTensorTensor ||
          instruction.opcode == Opcode::TensorScalar) {
        Fn &fn = instruction.fn[0];
        fn = fn == Fn::mul ? Fn::add : Fn::mul;
        return true;
      }
      if (instruction.opcode == Opcode::Activation) {
        instruction.fn[0] = instruction.fn[0] == Fn::exp ? Fn::tanh : Fn::exp;
        return true;
      }
      return false;
    });
    change("an address", [](Instruction &instruction) {
      if (!instruction.isDma() || instruction.hbm.offset != 0)
        return false;
      instruction.hbm.offset = 1;
      return true;
    });
    change("an order", [](Instruction &instruction) {
      if (instruction.opcode != Opcode::GpsimdSort)
        return false;
      instruction.reverse[0] = !instruction.reverse[0];
      return true;
    });
    change("what a product adds to", [](Instruction &instruction) {
      if (instruction.opcode != Opcode::Matmul)
        return false;
      bool adds = instruction.accumulate == Accumulate::Yes;
      instruction.accumulate = adds ? Accumulate::No : Accumulate::Yes;
      return true;
    });
    change("how an update combines", [](Instruction &instruction) {
      if (instruction.opcode != Opcode::DmaScatter)
        return false;
      instruction.reduce = Instruction::Reduce::Max;
      return true;
    });
    change("what an index counts", [](Instruction &instruction) {
      if (instruction.opcode != Opcode::DmaGather &&
          instruction.opcode != Opcode::DmaScatter)
        return false;
      --instruction.hbm.indexStride;
      return true;
    });
    change("an immediate", [](Instruction &instruction) {
      if (instruction.opcode != Opcode::TensorScalar ||
          !instruction.src[1].isImmediate())
        return false;
      float value;
      std::memcpy(&value, &instruction.src[1].bits, sizeof value);
      value *= 1.5f;
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      instruction.src[1].bits = bits;
      return true;
    });
  }
  Program shorter = program;
  for (Kernel &kernel : shorter.kernels)
    for (Node &node : kernel.body)
      if (auto *loop = std::get_if<Loop>(&node)) {
        --loop->count;
        differs(shorter, "a loop count");
        ++loop->count;
      }
}

TEST_P(CompiledPrograms, TakeTimeByTheirInstructions) {
  Program program = compile(GetParam().text);
  auto before = simulator::predictTimeline(program, false);
  ASSERT_TRUE(before.ok()) << before.message();
  EXPECT_GT(before->total, 0);
  // Another number of passes over the data takes another time. (Not always a
  // longer one: waits behind the loop then hold too early.)
  bool repeated = false;
  for (Node &node : program.kernels.back().body)
    if (auto *loop = std::get_if<Loop>(&node); loop && !repeated) {
      loop->count += 1;
      repeated = true;
    }
  if (!repeated)
    return;
  auto after = simulator::predictTimeline(program, false);
  ASSERT_TRUE(after.ok()) << after.message();
  EXPECT_NE(after->total, before->total);
}

INSTANTIATE_TEST_SUITE_P(, CompiledPrograms, testing::ValuesIn(kSamples),
                         [](const auto &info) { return info.param.name; });

} // namespace

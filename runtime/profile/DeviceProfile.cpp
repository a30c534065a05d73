//===- DeviceProfile.cpp - an .ntff file ----------------------------------===//
#include "runtime/profile/DeviceProfile.h"
#include "compiler/target/Target.h"
#include "runtime/profile/Files.h"
#include "runtime/profile/ProgramTrace.h"
#include "runtime/profile/Proto.h"
#include "runtime/program/Opcodes.h"
#include "runtime/program/Print.h"
#include <algorithm>
#include <unistd.h>
#include <unordered_map>

namespace neuron::profile {
namespace {

using namespace program;

/// Bytes that an instruction moves, by memory.
struct Traffic {
  uint64_t sbufRead = 0, sbufWritten = 0, psumRead = 0, psumWritten = 0;
  uint64_t hbmRead = 0, hbmWritten = 0;

  void read(const Operand &operand, unsigned parts) {
    (operand.isInPsum() ? psumRead : sbufRead) += bytesOf(operand, parts);
  }
  void write(const Operand &operand, unsigned parts) {
    (operand.isInPsum() ? psumWritten : sbufWritten) += bytesOf(operand, parts);
  }
  static uint64_t bytesOf(const Operand &operand, unsigned parts) {
    if (!operand.isTile())
      return 0;
    return uint64_t(parts) * operand.elems * program::bytesOf(operand.dtype);
  }
};

Traffic trafficOf(const Instruction &it) {
  Traffic traffic;
  for (const Operand &source : it.src)
    traffic.read(source, it.parts);
  unsigned parts = dstPartsOf(it);
  traffic.write(it.dst, parts);
  traffic.write(it.acc, parts);
  if (readsDst(it))
    traffic.read(it.dst, parts);
  if (readsAcc(it))
    traffic.read(it.acc, parts);
  if (it.isDma())
    (it.readsHbm() ? traffic.hbmRead : traffic.hbmWritten) =
        Traffic::bytesOf(it.moved(), it.parts);
  return traffic;
}

/// Of the Tensor engine: two for each product.
uint64_t flopsOf(const Instruction &it) {
  if (it.opcode != Opcode::Matmul)
    return 0;
  return 2ull * it.parts * it.src[0].elems * it.src[1].elems;
}

const std::string &tensorOf(const Instruction &it, const Program &program) {
  return program.tensors[it.hbm.tensor].name;
}

ProtoWriter encode(const StaticInstruction &which, const Program &program) {
  const Instruction &it = *which.instruction;
  ProtoWriter out;
  out.number(1, which.kernel);
  out.number(2, it.location);
  out.number(3, uint64_t(it.engine));
  out.text(4, mnemonicOf(it.opcode));
  out.text(5, toString(it, program));
  unsigned destinations = 0;
  for (const Operand *operand : {&it.dst, &it.acc})
    if (operand->kind != Operand::Kind::None) {
      out.bytes(6, toString(*operand));
      ++destinations;
    }
  if (it.writesHbm()) {
    out.bytes(6, "hbm " + tensorOf(it, program));
    ++destinations;
  }
  if (it.readsHbm())
    out.bytes(6, "hbm " + tensorOf(it, program));
  for (const Operand &source : it.src)
    if (source.kind != Operand::Kind::None)
      out.bytes(6, toString(source));
  out.number(7, destinations);
  out.number(8, it.parts);
  Traffic traffic = trafficOf(it);
  out.number(9, traffic.sbufRead);
  out.number(10, traffic.sbufWritten);
  out.number(11, traffic.psumRead);
  out.number(12, traffic.psumWritten);
  out.number(13, traffic.hbmRead);
  out.number(14, traffic.hbmWritten);
  out.number(15, flopsOf(it));
  if (it.isDma()) {
    out.text(16, tensorOf(it, program));
    out.number(17, uint64_t(it.queue));
  }
  return out;
}

/// Calls visit with each operation's id: a location names several, joined.
template <typename Visit>
void forEachId(const std::string &location, Visit visit) {
  for (size_t begin = 0; begin <= location.size();) {
    size_t end = std::min(location.find('+', begin), location.size());
    visit(location.substr(begin, end - begin));
    begin = end + 1;
  }
}

using LinesById = std::unordered_multimap<std::string, const SourceLine *>;

ProtoWriter encodeLocation(const std::string &location,
                           const LinesById &lines) {
  ProtoWriter out;
  out.text(1, location);
  forEachId(location, [&](const std::string &id) {
    auto [begin, end] = lines.equal_range(id);
    for (auto line = begin; line != end; ++line) {
      ProtoWriter place;
      place.text(1, line->second->file);
      place.number(2, line->second->line);
      place.text(3, id);
      place.text(4, line->second->op);
      out.message(2, place);
    }
  });
  return out;
}

ProtoWriter encode(const TracedEvent &event) {
  ProtoWriter out;
  out.number(1, event.instruction);
  out.number(2, uint64_t(event.unit));
  out.number(3, uint64_t(event.start));
  out.number(4, uint64_t(event.end));
  out.packed(5, event.dependsOn);
  out.packed(6, event.iteration);
  return out;
}

ProtoWriter encode(const Tensor &tensor) {
  ProtoWriter out;
  out.text(1, tensor.name);
  out.text(2, nameOf(tensor.kind));
  out.text(3, nameOf(tensor.dtype));
  out.packed(4, tensor.shape);
  out.number(5, uint64_t(tensor.bytes()));
  return out;
}

Result<ProtoWriter> encode(const ModelInfo &model) {
  const Program &program = *model.program;
  auto trace = traceProgram(program);
  if (!trace)
    return trace.error();
  const target::Target &target = **target::find(program.target);
  ProtoWriter out;
  out.number(1, model.id);
  out.text(2, model.name);
  out.number(3, model.number);
  out.text(4, model.uuid);
  out.text(5, program.target);
  out.number(6, target.validated);
  out.number(7, uint64_t(trace->total));
  out.number(8, uint64_t(target.launch.value));
  for (const Kernel &kernel : program.kernels)
    out.bytes(9, kernel.name);
  LinesById lines;
  for (const SourceLine &line : model.lines)
    lines.emplace(line.id, &line);
  for (const std::string &location : program.locations)
    out.message(10, encodeLocation(location, lines));
  for (unsigned unit = 0; unit < kNumUnits; ++unit)
    out.bytes(11, nameOf(Unit(unit)));
  for (const StaticInstruction &instruction : trace->instructions)
    out.message(12, encode(instruction, program));
  for (const TracedEvent &event : trace->events)
    out.message(13, encode(event));
  for (const Tensor &tensor : program.tensors)
    out.message(14, encode(tensor));
  return out;
}

ProtoWriter encode(const ExecutionRecord &execution) {
  ProtoWriter out;
  out.number(1, execution.model);
  out.number(2, execution.execution);
  out.number(3, execution.start);
  out.number(4, execution.end);
  out.number(5, execution.sequence);
  out.number(6, execution.dispatchPs);
  return out;
}

} // namespace

uint64_t numberOf(const std::array<uint8_t, 32> &hash) {
  uint64_t number = 0;
  for (unsigned i = 0; i < 6; ++i)
    number |= uint64_t(hash[i]) << (8 * i);
  return number;
}

Result<std::string> encodeDeviceProfile(const DeviceProfile &profile) {
  ProtoWriter out;
  out.text(1, "neuron-mlir device profile");
  out.number(2, 1);
  out.number(3, true);
  out.text(4, kRuntimeName);
  out.text(5, kInstance);
  out.number(6, uint64_t(getpid()));
  out.number(7, profile.core);
  out.number(8, profile.session);
  for (const auto &model : profile.models) {
    auto encoded = encode(*model);
    if (!encoded)
      return Error{"model '" + model->name + "': " + encoded.message()};
    out.message(9, *encoded);
  }
  auto executions = profile.executions;
  std::stable_sort(
      executions.begin(), executions.end(),
      [](const auto &a, const auto &b) { return a.start < b.start; });
  for (const ExecutionRecord &execution : executions)
    out.message(10, encode(execution));
  return out.take();
}

} // namespace neuron::profile

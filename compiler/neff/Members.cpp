//===- Members.cpp - the members of a NEFF of ours ------------------------===//
#include "compiler/neff/Members.h"
#include "runtime/program/Encoding.h"
#include "runtime/program/Print.h"
#include <map>
#include <nlohmann/json.hpp>

namespace neuron::neff {
namespace {

using nlohmann::json;
using namespace program;

/// Names come from user code and need not be UTF-8.
std::string dump(const json &value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool isIo(const Tensor &tensor) {
  return tensor.kind == TensorKind::Input || tensor.kind == TensorKind::Output;
}

std::vector<const Tensor *> tensorsOf(const Program &program, TensorKind kind) {
  std::vector<const Tensor *> found;
  for (const Tensor &tensor : program.tensors)
    if (tensor.kind == kind)
      found.push_back(&tensor);
  return found;
}

/// The container's names of the five engines.
struct EngineRow {
  Unit unit;
  const char *key, *file;
};
constexpr EngineRow kEngineRows[] = {
    {Unit::Scalar, "act", "Activation"},
    {Unit::Vector, "dve", "DVE"},
    {Unit::Tensor, "pe", "PE"},
    {Unit::GpSimd, "pool", "Pool"},
    {Unit::Sync, "sp", "SP"},
};

const EngineRow *rowOf(Unit engine) {
  for (const EngineRow &row : kEngineRows)
    if (row.unit == engine)
      return &row;
  return nullptr;
}

const char *varTypeOf(TensorKind kind) {
  switch (kind) {
  case TensorKind::Input:
    return "input";
  case TensorKind::Output:
    return "output";
  case TensorKind::Scratch:
    return "tmp-buf";
  case TensorKind::Constant:
    return "file";
  }
  return "tmp-buf";
}

/// Which engine first issues to each queue.
void collectQueues(const std::vector<Node> &body,
                   std::map<Unit, Unit> &owners) {
  for (const Node &node : body) {
    if (auto *loop = std::get_if<Loop>(&node))
      collectQueues(loop->body, owners);
    else if (auto *instruction = std::get_if<Instruction>(&node))
      if (instruction->isDma())
        owners.emplace(instruction->queue, instruction->engine);
  }
}

json queuesOf(const Program &program) {
  std::map<Unit, Unit> owners;
  for (const Kernel &kernel : program.kernels)
    collectQueues(kernel.body, owners);
  json queues = json::object();
  for (auto [queue, engine] : owners) {
    unsigned index = static_cast<unsigned>(queue) - kNumEngines;
    const EngineRow *row = rowOf(engine);
    queues["qNeuronMlir" + std::to_string(index)] = {
        {"type", "data"},
        {"num_queues", 1},
        {"owner", row ? row->key : "sp"},
        {"semaphore", static_cast<unsigned>(queue)}};
  }
  return queues;
}

json variablesOf(const Program &program) {
  json variables = json::object();
  int id = 0;
  for (const Tensor &tensor : program.tensors) {
    // Key by key: lists of pairs would be copied, for every tensor.
    json variable = json::object();
    variable["type"] = varTypeOf(tensor.kind);
    variable["var_id"] = id++;
    variable["size"] = tensor.bytes();
    variable["alignment"] = 64;
    variable["ops"] = json::array();
    // A constant's bytes are inside the program.
    if (tensor.kind == TensorKind::Constant)
      variable["file_name"] = "neuron_mlir_program.bin";
    variables[tensor.name] = std::move(variable);
  }
  return variables;
}

std::string definitionJson(const Program &program) {
  json definition = {{"version", "0.6"},
                     {"name", "definition"},
                     {"dma_queue", queuesOf(program)},
                     {"var", variablesOf(program)},
                     {"neff_features", json::array()},
                     {"runtime_event_count", 0},
                     {"runtime_semaphore_count", kNumUnits},
                     {"debug_info", json::object()}};
  for (const EngineRow &row : kEngineRows)
    definition[row.key] = std::string(row.file) + ".json";
  return dump(definition);
}

std::string engineJson(const EngineRow &row) {
  // All engines' streams are derived from the one program; its transfers are
  // dynamic, so there are no static descriptors.
  return dump({{"name", row.file},
               {"instr", "neuron_mlir_program.bin"},
               {"dma", json::array()}});
}

std::string infoJson(const std::string &name) {
  std::vector<int> perNode(64);
  perNode[0] = 1;
  return dump({{"tool_version", "neuron-mlir " NEURON_MLIR_VERSION},
               {"kelp_version", "Dynamic"},
               {"name", name},
               {"num_tpb", 1},
               {"num_tpb_requested", 1},
               {"num_tpb_per_node", perNode}});
}

int64_t bytesOf(const std::vector<const Tensor *> &tensors) {
  int64_t bytes = 0;
  for (const Tensor *tensor : tensors)
    bytes += tensor->bytes();
  return bytes;
}

std::string statsJson(const Program &program) {
  auto inputs = tensorsOf(program, TensorKind::Input);
  auto outputs = tensorsOf(program, TensorKind::Output);
  int64_t constants = bytesOf(tensorsOf(program, TensorKind::Constant));
  int64_t aliased = 0;
  for (const Tensor *tensor : outputs)
    if (tensor->aliasedInput >= 0)
      aliased += tensor->bytes();
  // No instruction multiplies matrices yet.
  return dump({{"AliasedOutputSize", aliased},
               {"ArithmeticIntensity", 0.0},
               {"ConstantSize", constants},
               {"HloInputCount", inputs.size()},
               {"HloMacCount", 0},
               {"HloOutputCount", outputs.size()},
               {"IfmapSize", bytesOf(inputs)},
               {"OfmapSize", bytesOf(outputs)},
               {"OutputsReadFromCount", 0},
               {"PassthroughTensorsCount", 0},
               {"RedundantOutputCount", 0},
               {"Traffic", bytesOf(inputs) + bytesOf(outputs) + constants}});
}

/// The graph of one operation in TVM's graph-runtime format.
std::string graphJson(const Program &program) {
  auto inputs = tensorsOf(program, TensorKind::Input);
  auto outputs = tensorsOf(program, TensorKind::Output);
  json nodes = json::array(), arguments = json::array(), edges = json::array(),
       shapes = json::array(), dtypes = json::array(), storage = json::array(),
       rows = json::array({0}), heads = json::array(), names = json::array(),
       signature = json::object();
  auto addEntry = [&](const Tensor &tensor) {
    storage.push_back(storage.size());
    shapes.push_back(tensor.shape);
    dtypes.push_back(nameOf(tensor.dtype));
  };
  for (const Tensor *tensor : inputs) {
    size_t id = nodes.size();
    json node = json::object();
    node["op"] = "null";
    node["name"] = tensor->name;
    node["inputs"] = json::array();
    node["output_names"] = json::array({tensor->name});
    node["is_param"] = "0";
    nodes.push_back(std::move(node));
    arguments.push_back(id);
    edges.push_back({id, 0, 0});
    rows.push_back(id + 1);
    json &input = signature[tensor->name];
    input["id"] = id;
    input["dtype"] = nameOf(tensor->dtype);
    input["shape"] = tensor->shape;
    addEntry(*tensor);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    names.push_back(outputs[i]->name);
    heads.push_back({inputs.size(), i, 0});
    addEntry(*outputs[i]);
  }
  rows.push_back(inputs.size() + outputs.size());
  nodes.push_back({{"op", "tvm_op"},
                   {"name", "sg_neuron_mlir"},
                   {"attrs",
                    {{"func_name", "__kelf"},
                     {"flatten_data", "0"},
                     {"num_inputs", std::to_string(inputs.size())},
                     {"num_outputs", std::to_string(outputs.size())},
                     {"kelf", "kelf-0.json"}}},
                   {"output_names", names}});
  nodes.back()["inputs"] = std::move(edges);
  auto listOf = [](const char *kind, json &&list) {
    json pair = json::array({kind});
    pair.push_back(std::move(list));
    return pair;
  };
  json graph = json::object();
  graph["nodes"] = std::move(nodes);
  graph["arg_nodes"] = std::move(arguments);
  graph["heads"] = std::move(heads);
  graph["attrs"]["shape"] = listOf("list_shape", std::move(shapes));
  graph["attrs"]["storage_id"] = listOf("list_int", std::move(storage));
  graph["attrs"]["dltype"] = listOf("list_str", std::move(dtypes));
  graph["node_row_ptr"] = std::move(rows);
  graph["metadata"]["signatures"]["default"]["inputs"] = std::move(signature);
  return dump(graph);
}

json tensorJson(const Tensor &tensor, const Program &program) {
  json row = json::object();
  row["name"] = tensor.name;
  row["dtype"] = nameOf(tensor.dtype);
  row["shape"] = tensor.shape;
  row["strides"] = tensor.strides;
  row["bytes"] = tensor.bytes();
  auto aliased = static_cast<size_t>(tensor.aliasedInput);
  if (tensor.aliasedInput >= 0 && aliased < program.tensors.size())
    row["aliased_input"] = program.tensors[aliased].name;
  return row;
}

std::string stringOf(const NeffFile &file, const char *member,
                     const char *key) {
  const auto *data = file.find(member);
  if (!data)
    return "";
  json value = json::parse(data->begin(), data->end(), nullptr, false);
  if (!value.is_object() || !value.contains(key) || !value[key].is_string())
    return "";
  return value[key].get<std::string>();
}

} // namespace

std::string kelfTarget(const Program &program) {
  return "neuron-mlir-" + program.target;
}

std::string kelfJson(const Program &program) {
  return dump(
      {{"graphs", {{{"definition", "sg00/def.json"}, {"name", "sg00"}}}},
       {"version", "0.5"},
       {"target", kelfTarget(program)}});
}

std::string tensorsJson(const Program &program) {
  json table = {{"inputs", json::array()}, {"outputs", json::array()}};
  for (const Tensor &tensor : program.tensors)
    if (isIo(tensor))
      table[tensor.kind == TensorKind::Input ? "inputs" : "outputs"].push_back(
          tensorJson(tensor, program));
  return dump(table);
}

std::vector<Member> membersOf(const Program &program, const std::string &name) {
  std::vector<Member> members;
  auto add = [&](const std::string &member, const std::string &text) {
    members.push_back({member, {text.begin(), text.end()}});
  };
  add(kLocationsMember, dump({{"locations", program.locations}}));
  add("hlo_stats.json", statsJson(program));
  add("info.json", infoJson(name));
  add("kelf-0.json", kelfJson(program));
  for (const EngineRow &row : kEngineRows)
    add("sg00/" + std::string(row.file) + ".json", engineJson(row));
  add("sg00/def.json", definitionJson(program));
  members.push_back({kProgramMember, encode(program)});
  add(kTensorsMember, tensorsJson(program));
  add("neff.json", graphJson(program));
  return members;
}

Origin originOf(const NeffFile &file) {
  Origin origin;
  std::string tool = stringOf(file, "info.json", "tool_version");
  std::string target = stringOf(file, "kelf-0.json", "target");
  if (!tool.empty())
    origin.tool = "'" + tool + "'";
  if (!target.empty())
    origin.target = "'" + target + "'";
  return origin;
}

} // namespace neuron::neff

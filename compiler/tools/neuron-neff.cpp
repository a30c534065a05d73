//===- neuron-neff.cpp - shows what is in a NEFF --------------------------===//
#include "compiler/neff/Neff.h"
#include "compiler/tools/Files.h"
#include "runtime/program/Print.h"
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace neuron;
using nlohmann::json;

namespace {

constexpr char kUsage[] =
    "usage: neuron-neff FILE [--program] [--json] [--extract DIR]\n"
    "\n"
    "Prints a NEFF's header, members, inputs and outputs. AWS's NEFFs are\n"
    "shown as far as their format is public.\n"
    "\n"
    "  --program      the device program too, a line an instruction\n"
    "  --json         as JSON\n"
    "  --extract DIR  writes the members below DIR\n";

struct Options {
  std::string file, extract;
  bool program = false, asJson = false;
};

int complain(const std::string &message) {
  std::fprintf(stderr, "neuron-neff: error: %s\n", message.c_str());
  return 1;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--program")
      options.program = true;
    else if (word == "--json")
      options.asJson = true;
    else if (word == "--extract" && i + 1 < argc)
      options.extract = argv[++i];
    else if (word.rfind("-", 0) == 0 || !options.file.empty())
      return false;
    else
      options.file = word;
  }
  return !options.file.empty();
}

Status extract(const neff::NeffFile &file, const std::string &directory) {
  for (const neff::Member &member : file.members) {
    // Names were checked by the reader: none leaves the directory.
    std::string path = directory + "/" + member.name;
    if (auto status = tools::makeDirectories(path.substr(0, path.rfind('/')));
        !status)
      return status;
    if (auto status = tools::writeFile(path, member.data); !status)
      return status;
  }
  return {};
}

json headerJson(const neff::Header &header) {
  return {{"package_version", header.packageVersion},
          {"header_size", header.headerSize},
          {"data_size", header.dataSize},
          {"neff_version_major", header.major},
          {"neff_version_minor", header.minor},
          {"num_tpb", header.numTpb},
          {"hash", neff::hex(std::span(header.hash).first(16))},
          {"uuid", neff::uuidText(header.uuid)},
          {"name", header.name},
          {"requested_tpb_count", header.requestedTpbCount},
          {"feature_bits", header.featureBits},
          {"lnc_size", header.lncSize}};
}

/// The I/O table of ours, null in other NEFFs.
json tensorsOf(const neff::NeffFile &file) {
  const auto *data = file.find(neff::kTensorsMember);
  if (!data)
    return nullptr;
  json table = json::parse(data->begin(), data->end(), nullptr, false);
  return table.is_object() ? table : json(nullptr);
}

json describe(const neff::NeffFile &file) {
  json members = json::array();
  for (const neff::Member &member : file.members)
    members.push_back({{"name", member.name}, {"size", member.data.size()}});
  return {{"header", headerJson(file.header)},
          {"members", members},
          {"tensors", tensorsOf(file)}};
}

void printTensors(const json &table, const char *role) {
  for (const json &tensor : table.value(role, json::array())) {
    std::string alias = tensor.value("aliased_input", "");
    std::printf("  %-8s %s: %s%s strides %s, %ld bytes%s\n",
                std::string(role, strlen(role) - 1).c_str(),
                tensor.value("name", "").c_str(),
                tensor.value("dtype", "").c_str(),
                tensor.value("shape", json()).dump().c_str(),
                tensor.value("strides", json()).dump().c_str(),
                tensor.value("bytes", 0l),
                alias.empty() ? "" : (", in place of " + alias).c_str());
  }
}

void printText(const neff::NeffFile &file) {
  const neff::Header &header = file.header;
  std::printf("NEFF '%s'\n", header.name.c_str());
  std::printf("  package version   %lu\n", header.packageVersion);
  std::printf("  NEFF version      %lu.%lu\n", header.major, header.minor);
  std::printf("  payload           %lu bytes\n", header.dataSize);
  std::printf("  hash              %s\n",
              neff::hex(std::span(header.hash).first(16)).c_str());
  std::printf("  uuid              %s\n", neff::uuidText(header.uuid).c_str());
  std::printf("  cores             %u (logical core size %u)\n", header.numTpb,
              header.lncSize);
  std::printf("  feature bits      0x%lx\n", header.featureBits);
  std::printf("members\n");
  for (const neff::Member &member : file.members)
    std::printf("  %10zu  %s\n", member.data.size(), member.name.c_str());
  std::printf("tensors\n");
  json table = tensorsOf(file);
  if (!table.is_object()) {
    std::printf("  not shown: this NEFF was not made by neuron-mlir\n");
    return;
  }
  printTensors(table, "inputs");
  printTensors(table, "outputs");
}

int run(const Options &options) {
  auto bytes = tools::readFile(options.file);
  if (!bytes)
    return complain(bytes.message());
  auto file = neff::readNeff(*bytes);
  if (!file)
    return complain(options.file + ": " + file.message());
  if (!options.extract.empty())
    if (auto status = extract(*file, options.extract); !status)
      return complain(status.message());

  std::string program;
  if (options.program) {
    auto decoded = neff::programOf(*file);
    if (!decoded)
      return complain(options.file + ": " + decoded.message());
    program = toString(*decoded);
  }
  if (options.asJson) {
    json value = describe(*file);
    if (options.program)
      value["program"] = program;
    std::printf(
        "%s\n",
        value.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  } else {
    printText(*file);
    std::printf("%s", program.c_str());
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::printf("%s", kUsage);
    return 0;
  }
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "%s", kUsage);
    return 2;
  }
  // A stranger's JSON may hold anything; nlohmann's accessors throw.
  try {
    return run(options);
  } catch (const std::exception &error) {
    return complain(options.file + ": " + error.what());
  }
}

//===- NeffTest.cpp - writing, reading and refusing NEFFs -----------------===//
#include "compiler/neff/Neff.h"
#include "compiler/neff/Gzip.h"
#include "runtime/program/Encoding.h"
#include "test/runtime/SampleProgram.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace neuron;
using namespace neuron::neff;
using nlohmann::json;

namespace {

template <typename T> T little(const std::vector<uint8_t> &bytes, size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof(T));
  return value;
}

std::vector<uint8_t> sampleNeff() {
  auto bytes = writeNeff(test::addProgram(), {"add.neff"});
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  return *bytes;
}

/// Mends the header after a change of the payload.
void rehash(std::vector<uint8_t> &bytes) {
  auto hash = hashOf(std::span(bytes).subspan(1024));
  std::copy(hash.begin(), hash.end(), bytes.begin() + 172);
}

json member(const NeffFile &file, const char *name) {
  const auto *data = file.find(name);
  EXPECT_NE(data, nullptr) << name;
  return data ? json::parse(data->begin(), data->end()) : json();
}

TEST(Neff, HeaderAsDocumented) {
  auto bytes = sampleNeff();
  EXPECT_EQ(little<uint64_t>(bytes, 0), 2u);
  EXPECT_EQ(little<uint64_t>(bytes, 8), 1024u);
  EXPECT_EQ(little<uint64_t>(bytes, 16), bytes.size() - 1024);
  EXPECT_EQ((bytes.size() - 1024) % 10240, 0u);
  EXPECT_EQ(little<uint64_t>(bytes, 24), 2u);
  EXPECT_EQ(little<uint64_t>(bytes, 32), 0u);
  EXPECT_TRUE(std::all_of(&bytes[40], &bytes[168], [](int b) { return !b; }));
  EXPECT_EQ(little<uint32_t>(bytes, 168), 1u);
  EXPECT_STREQ(reinterpret_cast<char *>(&bytes[220]), "add.neff");
  EXPECT_EQ(little<uint32_t>(bytes, 476), 1u);
  EXPECT_EQ(bytes[480], 1);
  EXPECT_TRUE(std::all_of(&bytes[481], &bytes[544], [](int b) { return !b; }));
  EXPECT_EQ(little<uint64_t>(bytes, 544), 0u);
  EXPECT_EQ(little<uint32_t>(bytes, 552), 1u);
  EXPECT_TRUE(std::all_of(&bytes[556], &bytes[1024], [](int b) { return !b; }));
  EXPECT_EQ(bytes[1024], 0x1f);
  EXPECT_EQ(bytes[1025], 0x8b);
}

TEST(Neff, HashIsTheWordSwappedMd5OfThePaddedPayload) {
  auto bytes = sampleNeff();
  Md5Digest digest = md5(std::span(bytes).subspan(1024));
  for (unsigned word = 0; word < 4; ++word)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(bytes[172 + 4 * word + i], digest[4 * word + 3 - i]);
  EXPECT_TRUE(std::all_of(&bytes[188], &bytes[204], [](int b) { return !b; }));
  EXPECT_EQ(bytes[204 + 6] >> 4, 8) << "the UUID's version";
  EXPECT_EQ(bytes[204 + 8] >> 6, 2) << "the UUID's variant";
}

TEST(Neff, EqualProgramsMakeEqualBytesAndOthersOtherUuids) {
  EXPECT_EQ(sampleNeff(), sampleNeff());
  auto other = *writeNeff(test::addProgram(128), {"add.neff"});
  auto bytes = sampleNeff();
  EXPECT_FALSE(std::equal(&bytes[204], &bytes[220], &other[204]));
}

TEST(Neff, MembersInOrder) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok()) << file.message();
  std::vector<std::string> names;
  for (const Member &member : file->members)
    names.push_back(member.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "debug_info/neuron_mlir_locations.json", "hlo_stats.json",
                "info.json", "kelf-0.json", "sg00/Activation.json",
                "sg00/DVE.json", "sg00/PE.json", "sg00/Pool.json",
                "sg00/SP.json", "sg00/def.json", "sg00/neuron_mlir_program.bin",
                "sg00/neuron_mlir_tensors.json", "neff.json"}));
}

TEST(Neff, MarkedAsOurs) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok());
  auto info = member(*file, "info.json");
  EXPECT_EQ(info["tool_version"].get<std::string>().rfind("neuron-mlir ", 0),
            0u);
  EXPECT_EQ(info["num_tpb_per_node"].size(), 64u);
  auto kelf = member(*file, "kelf-0.json");
  EXPECT_EQ(kelf["target"], "neuron-mlir-trn2");
  EXPECT_EQ(kelf["graphs"][0]["definition"], "sg00/def.json");
}

TEST(Neff, GraphDefinitionAndTensors) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok());
  auto graph = member(*file, "neff.json");
  EXPECT_EQ(graph["arg_nodes"], json({0, 1}));
  EXPECT_EQ(graph["node_row_ptr"], json({0, 1, 2, 3}));
  EXPECT_EQ(graph["heads"], json::array({{2, 0, 0}}));
  EXPECT_EQ(graph["nodes"][2]["output_names"], json({"out"}));
  EXPECT_EQ(graph["nodes"][2]["inputs"], json::array({{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(graph["attrs"]["shape"][1],
            json::array({{256, 64}, {256, 64}, {256, 64}}));
  EXPECT_EQ(graph["attrs"]["dltype"][1][0], "float32");

  auto definition = member(*file, "sg00/def.json");
  EXPECT_EQ(definition["var"]["out"]["type"], "output");
  EXPECT_EQ(definition["var"]["out"]["size"], 65536);
  EXPECT_EQ(definition["dma_queue"].size(), 3u);
  EXPECT_EQ(definition["dma_queue"]["qNeuronMlir0"]["owner"], "sp");

  auto tensors = member(*file, kTensorsMember);
  EXPECT_EQ(tensors["inputs"][1], json({{"name", "b"},
                                        {"dtype", "float32"},
                                        {"shape", {256, 64}},
                                        {"strides", {64, 1}},
                                        {"bytes", 65536}}));
  auto locations = member(*file, kLocationsMember);
  EXPECT_EQ(locations["locations"], json({"<unknown>", "add"}));
}

TEST(Neff, LogicalTypesAndAliasesAreKept) {
  auto file = readNeff(*writeNeff(test::everyField()));
  ASSERT_TRUE(file.ok()) << file.message();
  auto tensors = member(*file, kTensorsMember);
  EXPECT_EQ(tensors["inputs"].size(), 1u);
  EXPECT_EQ(tensors["inputs"][0]["strides"], json({1, -1}));
  EXPECT_EQ(tensors["outputs"][0]["dtype"], "int64");
  EXPECT_EQ(tensors["outputs"][0]["aliased_input"], "x");
  EXPECT_EQ(member(*file, "hlo_stats.json")["AliasedOutputSize"], 8);
  auto program = programOf(*file);
  ASSERT_TRUE(program.ok()) << program.message();
  EXPECT_TRUE(*program == test::everyField());
}

TEST(Neff, LongNamesAreRefused) {
  EXPECT_TRUE(writeNeff(test::addProgram(), {std::string(255, 'n')}).ok());
  EXPECT_FALSE(writeNeff(test::addProgram(), {std::string(256, 'n')}).ok());
}

TEST(Neff, TruncationIsReported) {
  auto bytes = sampleNeff();
  for (size_t size : {size_t(0), size_t(1), size_t(1023), size_t(1024),
                      size_t(5000), bytes.size() - 1}) {
    NeffFault fault;
    EXPECT_FALSE(readNeff(std::span(bytes).first(size), &fault).ok());
    EXPECT_EQ(fault, NeffFault::Truncated) << size;
  }
}

TEST(Neff, EveryFlippedPayloadBitIsReported) {
  auto bytes = sampleNeff();
  for (size_t at = 1024; at < bytes.size(); at += 37) {
    bytes[at] ^= 1 << at % 8;
    NeffFault fault;
    auto file = readNeff(bytes, &fault);
    ASSERT_FALSE(file.ok()) << at;
    EXPECT_EQ(fault, NeffFault::HashMismatch);
    bytes[at] ^= 1 << at % 8;
  }
  EXPECT_TRUE(readNeff(bytes).ok());
}

TEST(Neff, FlippedHashBitsAreReported) {
  auto bytes = sampleNeff();
  for (size_t at = 172; at < 204; ++at) {
    bytes[at] ^= 0x10;
    NeffFault fault;
    EXPECT_FALSE(readNeff(bytes, &fault).ok());
    EXPECT_EQ(fault, NeffFault::HashMismatch);
    bytes[at] ^= 0x10;
  }
}

TEST(Neff, OtherVersionsAreReported) {
  for (size_t at : {0, 24}) {
    auto bytes = sampleNeff();
    bytes[at] = 7;
    NeffFault fault;
    auto file = readNeff(bytes, &fault);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(fault, NeffFault::WrongVersion) << file.message();
    EXPECT_NE(file.message().find("7"), std::string::npos);
  }
}

TEST(Neff, ProgramsOfOtherVersionsAreReported) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok());
  for (Member &member : file->members)
    if (member.name == kProgramMember)
      member.data[11] = 42;
  auto repacked = readNeff(*packNeff(file->members, {}));
  ASSERT_TRUE(repacked.ok()) << repacked.message();
  NeffFault fault;
  auto program = programOf(*repacked, &fault);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(fault, NeffFault::WrongVersion);
  EXPECT_NE(program.message().find("version 42"), std::string::npos);
}

TEST(Neff, NotANeff) {
  std::vector<uint8_t> elf(5000, 0x7f);
  NeffFault fault;
  EXPECT_FALSE(readNeff(elf, &fault).ok());
  EXPECT_EQ(fault, NeffFault::Malformed);
}

TEST(Neff, AmazonsFilesAreReadAndRefused) {
  auto text = [](std::string_view json) {
    return std::vector<uint8_t>(json.begin(), json.end());
  };
  std::vector<Member> members = {
      {"info.json", text(R"({"tool_version":"2.23.6484.0+3b612583"})")},
      {"kelf-0.json", text(R"({"version":"0.5","target":"cayman"})")},
      {"sg00/PE.bin", std::vector<uint8_t>(64)},
      {"neff.json", text("{}")}};
  auto file = readNeff(*packNeff(members, {}));
  ASSERT_TRUE(file.ok()) << file.message();
  NeffFault fault;
  auto program = programOf(*file, &fault);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(fault, NeffFault::Foreign);
  EXPECT_NE(program.message().find("2.23.6484.0+3b612583"), std::string::npos);
  EXPECT_NE(program.message().find("'cayman'"), std::string::npos);
}

TEST(Neff, MarksOfOursMustBeThere) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok());
  NeffFault fault;
  auto features = *file;
  features.header.featureBits = 0x209c00;
  EXPECT_FALSE(programOf(features, &fault).ok());
  EXPECT_EQ(fault, NeffFault::Foreign);
  for (const char *name : {"kelf-0.json", kTensorsMember, kProgramMember}) {
    auto changed = *file;
    std::erase_if(changed.members,
                  [&](const Member &member) { return member.name == name; });
    EXPECT_FALSE(programOf(changed, &fault).ok()) << name;
    EXPECT_NE(fault, NeffFault::None);
  }
}

TEST(Neff, TensorTableMustAgreeWithTheProgram) {
  auto file = readNeff(sampleNeff());
  ASSERT_TRUE(file.ok());
  for (Member &member : file->members)
    if (member.name == kTensorsMember)
      *std::find(member.data.begin(), member.data.end(), '6') = '7';
  NeffFault fault;
  EXPECT_FALSE(programOf(*file, &fault).ok());
  EXPECT_EQ(fault, NeffFault::Malformed);
}

TEST(Neff, PlainAndUnpaddedPayloadsAreRead) {
  auto bytes = sampleNeff();
  auto tar = *decompress(std::span(bytes).subspan(1024), 1 << 24);
  auto gzip = *compress(tar);
  for (const auto &payload : {tar, gzip}) {
    Header header = decodeHeader(std::span(bytes).first<1024>());
    header.dataSize = payload.size();
    header.hash = hashOf(payload);
    auto other = encodeHeader(header);
    other.insert(other.end(), payload.begin(), payload.end());
    auto file = readNeff(other);
    ASSERT_TRUE(file.ok()) << file.message();
    EXPECT_TRUE(programOf(*file).ok());
  }
}

TEST(Neff, HashCheckCanBeLeftOut) {
  auto bytes = sampleNeff();
  bytes[172] ^= 1;
  ReadOptions options;
  options.checkHash = false;
  EXPECT_TRUE(readNeff(bytes, nullptr, options).ok());
}

TEST(Neff, BombsAreStopped) {
  std::vector<Member> members = {{"a", std::vector<uint8_t>(50 << 20)}};
  auto bytes = *packNeff(members, {});
  ReadOptions options;
  options.maxPayload = 1 << 20;
  NeffFault fault;
  EXPECT_FALSE(readNeff(bytes, &fault, options).ok());
  EXPECT_EQ(fault, NeffFault::Malformed);
}

TEST(Neff, RehashedMutationsNeverCrash) {
  std::mt19937_64 random(99);
  auto bytes = sampleNeff();
  auto tar = *decompress(std::span(bytes).subspan(1024), 1 << 24);
  unsigned accepted = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    // Half of them below the compression, half in the compressed bytes.
    std::vector<uint8_t> changed;
    if (round % 2) {
      auto payload = tar;
      payload[random() % payload.size()] = static_cast<uint8_t>(random());
      Header header = decodeHeader(std::span(bytes).first<1024>());
      header.dataSize = payload.size();
      changed = encodeHeader(header);
      changed.insert(changed.end(), payload.begin(), payload.end());
    } else {
      changed = bytes;
      changed[random() % changed.size()] ^= 1 << random() % 8;
    }
    rehash(changed);
    auto file = readNeff(changed);
    if (file && programOf(*file))
      ++accepted;
  }
  EXPECT_GT(accepted, 10u);
  EXPECT_LT(accepted, 2000u);
}

} // namespace

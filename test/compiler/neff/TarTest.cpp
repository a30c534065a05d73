//===- TarTest.cpp - tar, gzip and MD5 ------------------------------------===//
#include "compiler/neff/Tar.h"
#include "compiler/neff/Gzip.h"
#include "compiler/neff/Header.h"
#include <gtest/gtest.h>

using namespace neuron::neff;

namespace {

std::vector<uint8_t> bytesOf(std::string_view text) {
  return {text.begin(), text.end()};
}

TEST(Md5, TestSuiteOfTheRfc) {
  auto digest = [](std::string_view text) { return hex(md5(bytesOf(text))); };
  EXPECT_EQ(digest(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(digest("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(digest("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(digest("1234567890123456789012345678901234567890123456789012345678"
                   "9012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
  EXPECT_EQ(digest(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
}

TEST(Tar, RoundTripOfNamesAndSizes) {
  std::string longName = std::string(90, 'd') + "/" + std::string(90, 'f');
  std::vector<Member> members = {{"a", {}},
                                 {"dir/b", bytesOf("text")},
                                 {"c", std::vector<uint8_t>(512, 1)},
                                 {longName, std::vector<uint8_t>(513, 2)}};
  auto tar = writeTar(members);
  ASSERT_TRUE(tar.ok()) << tar.message();
  EXPECT_EQ(tar->size() % 512, 0u);
  auto back = readTar(*tar);
  ASSERT_TRUE(back.ok()) << back.message();
  ASSERT_EQ(back->size(), members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ((*back)[i].name, members[i].name);
    EXPECT_EQ((*back)[i].data, members[i].data);
  }
}

TEST(Tar, RefusesToWriteWhatItCannot) {
  std::vector<Member> tooLong = {{std::string(101, 'x'), {}}};
  EXPECT_FALSE(writeTar(tooLong).ok());
  std::vector<Member> unsafe = {{"../x", {}}};
  EXPECT_FALSE(writeTar(unsafe).ok());
}

/// Overwrites a field of the first header and mends its checksum.
std::vector<uint8_t> withField(std::vector<uint8_t> tar, size_t at,
                               std::string_view text) {
  std::copy(text.begin(), text.end(), tar.begin() + ptrdiff_t(at));
  unsigned sum = 8 * ' ';
  for (size_t i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? 0 : tar[i];
  char octal[8];
  snprintf(octal, sizeof(octal), "%06o", sum);
  std::copy(octal, octal + 7, tar.begin() + 148);
  return tar;
}

TEST(Tar, RefusesUnsafeNamesAndOtherKinds) {
  std::vector<Member> one = {{"abcdefghi", bytesOf("x")}};
  auto tar = *writeTar(one);
  ASSERT_TRUE(readTar(withField(tar, 0, "abcdefgh_")).ok());
  for (const char *name : {"/bcdefghi", "../defghi", "ab/../ghi", "ab//efghi",
                           "./cdefghi", "abcdefgh/", "a\\cdefghi"}) {
    auto result = readTar(withField(tar, 0, name));
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_NE(result.message().find("unsafe member name"), std::string::npos)
        << result.message();
  }
  for (const char *type : {"1", "2", "3", "6", "x", "L"})
    EXPECT_FALSE(readTar(withField(tar, 156, type)).ok()) << type;
  EXPECT_TRUE(readTar(withField(tar, 156, "5")).ok());
  EXPECT_FALSE(readTar(withField(tar, 124, "77777777777")).ok());
  EXPECT_FALSE(readTar(withField(tar, 124, "zzzzzzzzzzz")).ok());
  tar[0] ^= 1;
  EXPECT_FALSE(readTar(tar).ok()) << "the checksum must be checked";
}

TEST(Tar, RefusesRepeatedNamesAndTruncation) {
  std::vector<Member> twice = {{"a", bytesOf("1")}, {"a", bytesOf("2")}};
  EXPECT_FALSE(readTar(*writeTar(twice)).ok());
  std::vector<Member> one = {{"a", bytesOf("1")}};
  auto tar = *writeTar(one);
  for (size_t size = 0; size < 1024; size += 100)
    EXPECT_FALSE(readTar(std::span(tar).first(size)).ok()) << size;
}

TEST(Gzip, RoundTripIsReproducibleAndTimeless) {
  auto data = bytesOf(std::string(100000, 'x') + "end");
  auto packed = compress(data);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(*packed, *compress(data));
  EXPECT_EQ(hex(std::span(*packed).first(10)), "1f8b0800000000000403");
  auto back = decompress(*packed, 1 << 20);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(*back, data);
}

TEST(Gzip, AcceptsZeroPaddingAndNothingElse) {
  auto packed = *compress(bytesOf("data"));
  packed.resize(packed.size() + 5000);
  EXPECT_TRUE(decompress(packed, 100).ok());
  packed.back() = 1;
  EXPECT_FALSE(decompress(packed, 100).ok());
}

TEST(Gzip, StopsAtTheLimit) {
  auto bomb = *compress(std::vector<uint8_t>(50 << 20));
  ASSERT_LT(bomb.size(), 1u << 20);
  auto result = decompress(bomb, 1 << 20);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("limit"), std::string::npos);
}

TEST(Gzip, RefusesTruncation) {
  auto packed = *compress(bytesOf("some data to pack"));
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(decompress(std::span(packed).first(size), 100).ok()) << size;
}

} // namespace

//===- LibraryTest.cpp - which functions of an NRT library are used -------===//
#include "runtime/hardware/Library.h"
#include <gtest/gtest.h>

using namespace neuron::hardware;

namespace {

Library open(const char *which) {
  auto library = Library::open(which);
  EXPECT_TRUE(library.ok()) << library.message();
  return *library;
}

TEST(Library, TheSimulatorHasAllFunctions) {
  Library library = open(SIMULATOR);
  EXPECT_TRUE(library.isSimulator());
  EXPECT_TRUE(library.hasAsync());
#define EXPECT_FUNCTION(member, function)                                      \
  EXPECT_NE(library.api().member, nullptr) << #function;
  NEURON_NRT_FUNCTIONS(EXPECT_FUNCTION)
  NEURON_NRT_ASYNC_FUNCTIONS(EXPECT_FUNCTION)
  NEURON_SIM_FUNCTIONS(EXPECT_FUNCTION)
#undef EXPECT_FUNCTION
}

void expectNoAsync(const Library &library) {
  EXPECT_FALSE(library.hasAsync());
#define EXPECT_NONE(member, function)                                          \
  EXPECT_EQ(library.api().member, nullptr) << #function;
  NEURON_NRT_ASYNC_FUNCTIONS(EXPECT_NONE)
#undef EXPECT_NONE
}

/// Its functions of these names have other arguments.
TEST(Library, AsyncFunctionsBefore231AreNotUsed) {
  expectNoAsync(open(FAKE_230));
}

TEST(Library, AsyncFunctionsAreUsedTogetherOrNotAtAll) {
  expectNoAsync(open(FAKE_INCOMPLETE));
}

TEST(Library, AsyncFunctionsSince231) {
  Library library = open(FAKE_231);
  EXPECT_TRUE(library.hasAsync());
  EXPECT_FALSE(library.isSimulator());
}

} // namespace

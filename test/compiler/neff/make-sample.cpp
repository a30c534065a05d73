//===- make-sample.cpp - writes sample NEFFs for tests --------------------===//
//
// make-sample KIND FILE, where KIND is add, everything or strided.
//
//===----------------------------------------------------------------------===//
#include "compiler/neff/Neff.h"
#include "compiler/tools/Files.h"
#include "test/runtime/SampleProgram.h"

using namespace neuron;

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::string kind = argv[1];
  program::Program program = kind == "everything" ? test::everyField()
                             : kind == "strided"  ? test::stridedProgram()
                                                  : test::addProgram();
  auto bytes = neff::writeNeff(program, {kind + ".neff"});
  if (!bytes || !tools::writeFile(argv[2], *bytes)) {
    std::fprintf(stderr, "make-sample: cannot write %s\n", argv[2]);
    return 1;
  }
  return 0;
}

# Precompiled headers: those of MLIR, our dialects and LibTorch are most of a file's compile time.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them, which shows an include that a file forgot.

if(NEURON_BUILD_COMPILER)
  # One for all parts of the compiler; their options must be its options.
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cpp "")
  add_library(NeuronCompilerHeaders OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
  target_compile_options(NeuronCompilerHeaders PRIVATE -O1)
  target_precompile_headers(NeuronCompilerHeaders PRIVATE ${CMAKE_SOURCE_DIR}/compiler/Precompiled.h)
  add_dependencies(NeuronCompilerHeaders NeuronOpsIncGen NisaOpsIncGen)
endif()

# Finds what the project builds on. Every version that matters is named here and nowhere else.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

# MLIR's version file refuses a bare major version, so the minor one is named.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

if(NEURON_BUILD_COMPILER)
  # LibTorch comes from the torch wheel. Its own pybind11 headers are used: those of another pybind11
  # have other internals, and types that torch registers would be unknown to our module.
  execute_process(
    # An older build of ours that PYTHONPATH has must not matter here.
    COMMAND ${CMAKE_COMMAND} -E env TORCH_DEVICE_BACKEND_AUTOLOAD=0
            ${Python_EXECUTABLE} -c "import torch, pathlib; print(pathlib.Path(torch.__file__).parent)"
    OUTPUT_VARIABLE TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

# lld links libMLIR users several times faster than GNU ld.
find_program(NEURON_LLD ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(NEURON_LLD)
  get_filename_component(NEURON_LLD_DIR ${NEURON_LLD} DIRECTORY)
  add_link_options(-fuse-ld=lld -B${NEURON_LLD_DIR})
endif()

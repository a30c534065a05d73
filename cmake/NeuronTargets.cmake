# The two kinds of library of this project.

# Debian's LLVM is built with RTTI; one set of flags serves compiler and runtime.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees an overlap, or an overflow, in "literal" + std::string (its bugs 105651 and 105329).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
if(NEURON_SANITIZE)
  set(sanitizers address,undefined)
  if(NEURON_SANITIZE STREQUAL thread)
    set(sanitizers thread)
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${sanitizers})
endif()
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
# mlir_tablegen takes its search path from here.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# A static library without MLIR or LLVM: neuron_library(name SOURCES... [LINK libs...])
function(neuron_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# A part of the compiler, linked into libNeuronCompiler.so: neuron_compiler_part(name SOURCES... [DEPENDS ...])
# MLIR must come from libMLIR.so alone: its static libraries beside it would register everything twice.
function(neuron_compiler_part name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  # MLIR headers dominate compile time and our passes are no hot loops: -O1 halves the build.
  target_compile_options(${name} PRIVATE -O1)
  target_precompile_headers(${name} REUSE_FROM NeuronCompilerHeaders)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_LINK)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
  endif()
  set_property(GLOBAL APPEND PROPERTY NEURON_COMPILER_PARTS ${name})
endfunction()

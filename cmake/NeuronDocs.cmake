# Generated documentation is checked in: `ninja docs` writes it, and the lit
# test docs-are-current fails when it is stale.
add_custom_target(docs COMMENT "Writing generated documentation to docs/")

# neuron_dialect_doc(dialect Ops.td) writes docs/dialects/<dialect>.md.
function(neuron_dialect_doc dialect td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${dialect}.md -gen-dialect-doc -dialect=${dialect})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${dialect}.md)
  add_custom_target(docs-${dialect} DEPENDS ${generated}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${generated}
            ${CMAKE_SOURCE_DIR}/docs/dialects/${dialect}.md)
  add_dependencies(docs docs-${dialect})
endfunction()

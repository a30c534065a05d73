# lit + FileCheck tests: `ninja check-lit` builds the tools and runs them all;
# CTest runs them as the test "lit".
list(GET MLIR_INCLUDE_DIRS 0 neuron_mlir_include)
configure_file(lit.site.cfg.py.in lit.site.cfg.py @ONLY)
# The lit package has no module that can be run by `python -m`.
set(lit_command ${Python_EXECUTABLE} -c "from lit.main import main; main()"
                -sv ${CMAKE_CURRENT_BINARY_DIR})
add_custom_target(check-lit COMMAND ${lit_command} DEPENDS neuron-opt neuron-compile neuron-run neuron-neff
                  USES_TERMINAL VERBATIM COMMENT "Running lit tests")
add_test(NAME lit COMMAND ${lit_command})

# ruff: noqa: F821 (lit defines config and lit_config)
# lit.cfg.py - how lit finds and runs the .mlir tests.
#
# Run by way of the build: `ninja -C build check-lit`, or one file:
# `lit -v build/test --filter=dialects/neuron/verify`.
import os

import lit.formats

if not hasattr(config, "tools_dir"):
    lit_config.fatal(
        "no build is known to lit: run it on build/test, where CMake wrote "
        "lit.site.cfg.py, not on the source folder"
    )

config.name = "neuron-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join(
    [config.tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# A failing CHECK shows the input around it.
config.environment["FILECHECK_OPTS"] = "--dump-input=fail --dump-input-context=8"

config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%root", os.path.dirname(config.test_source_root)))

//===- OptionsBindings.cpp - options as Python sees them ------------------===//
#include "compiler/options/Options.h"
#include "python/bindings/CompilerBindings.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace neuron;

static std::string typeName(std::string_view type) {
  return type == "Bool" ? "bool" : "str";
}

/// A Python value as the text that setOption reads; its type must be the
/// option's.
static std::string textOf(const std::string &name, const py::handle &value) {
  for (const OptionInfo &info : optionTable()) {
    if (info.name != name)
      continue;
    if (info.type == "Bool" && py::isinstance<py::bool_>(value))
      return value.cast<bool>() ? "1" : "0";
    if (info.type == "String" && py::isinstance<py::str>(value))
      return value.cast<std::string>();
    throw py::type_error(
        "option '" + name + "' is a " + typeName(info.type) + ", got " +
        py::str(py::type::of(value).attr("__name__")).cast<std::string>());
  }
  return "";
}

static Options makeOptions(const py::dict &values) {
  Result<Options> options = optionsFromEnvironment();
  if (!options)
    throw py::value_error(options.message());
  for (auto [key, value] : values) {
    if (!py::isinstance<py::str>(key))
      throw py::type_error("names of options are strings");
    std::string name = key.cast<std::string>();
    std::string text = textOf(name, value);
    if (Status status = setOption(*options, name, text); !status)
      throw py::value_error(status.message());
  }
  return *options;
}

void neuron::python::bindOptions(py::module_ &m) {
  py::class_<Options>(m, "Options",
                      "The options of a compilation: defaults, environment, "
                      "then the given values.")
      .def(py::init(&makeOptions), py::arg("values") = py::dict())
#define NEURON_OPTION(name, Type, default_, environment, inKey, choices, why,  \
                      off)                                                     \
  .def_readonly(#name, &Options::name)
#include "compiler/options/Options.def"
#undef NEURON_OPTION
      .def("key", &optionsKey, "what the NEFF depends on")
      .def("as_dict", [](const Options &options) {
        py::dict values;
#define NEURON_OPTION(name, Type, default_, environment, inKey, choices, why,  \
                      off)                                                     \
  values[#name] = options.name;
#include "compiler/options/Options.def"
#undef NEURON_OPTION
        return values;
      });
  m.def("option_table", [] {
    py::list rows;
    for (const OptionInfo &info : optionTable()) {
      py::dict row;
      row["name"] = info.name;
      row["type"] = typeName(info.type);
      row["default"] = info.defaultValue;
      row["environment"] = info.environment;
      row["choices"] = info.choices;
      row["why"] = info.why;
      row["off"] = info.off;
      rows.append(row);
    }
    return rows;
  });
}

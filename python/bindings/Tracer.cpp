//===- Tracer.cpp - taking an operation apart, by PyTorch -----------------===//
//
// Operations that the importer has no row for are traced by make_fx with the
// decompositions of torch.compile (torch_neuronx/eager.py).
//
//===----------------------------------------------------------------------===//
#include "python/bindings/DeviceBindings.h"
#include "python/bindings/FxReader.h"
#include "runtime/device/eager/Eager.h"
#include "runtime/device/eager/Operation.h"
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <pybind11/stl.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/tensor_dtypes.h>
#include <torch/csrc/utils/tensor_layouts.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

namespace py = pybind11;
using namespace neuron;
using device::isOfKind;

/// Enumerations are integers on the stack; Python wants their objects.
static py::object toPython(const c10::IValue &value, const c10::Type &type) {
  if (value.isNone() || value.isGenerator())
    return py::none();
  if (isOfKind(type, c10::TypeKind::ScalarTypeType))
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(
        torch::getTHPDtype(static_cast<c10::ScalarType>(value.toInt()))));
  if (isOfKind(type, c10::TypeKind::LayoutType))
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(
        torch::getTHPLayout(static_cast<c10::Layout>(value.toInt()))));
  if (isOfKind(type, c10::TypeKind::MemoryFormatType))
    return py::reinterpret_borrow<py::object>(torch::utils::getTHPMemoryFormat(
        static_cast<c10::MemoryFormat>(value.toInt())));
  return torch::jit::toPyObject(value);
}

static std::variant<import::Graph, std::string>
trace(const c10::OperatorHandle &op, const torch::jit::Stack &arguments) {
  // As at the top of a program: no autograd, no autocast, no modes.
  c10::impl::ForceDispatchKeyGuard plain(c10::default_included_set,
                                         c10::default_excluded_set);
  at::NoGradGuard noGrad;
  py::gil_scoped_acquire gil;
  try {
    py::list values;
    const auto &formals = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i)
      values.append(toPython(arguments[i], *formals[i].real_type()));
    py::tuple traced = py::module_::import("torch_neuronx.eager")
                           .attr("trace")(op.schema().name(),
                                          op.schema().overload_name(), values);
    import::Graph graph = python::readGraphModule(traced[0]).graph;
    graph.complexOutputs =
        traced[1].cast<std::vector<std::pair<unsigned, bool>>>();
    return graph;
  } catch (py::error_already_set &error) {
    if (error.matches(PyExc_KeyboardInterrupt))
      throw;
    std::string text = py::str(error.value()).cast<std::string>();
    return "it cannot be taken apart: " + text.substr(0, text.find('\n'));
  }
}

static bool isUnimplemented(const std::exception &error) {
  const auto *raised = dynamic_cast<const python_error *>(&error);
  if (!raised)
    return false;
  py::gil_scoped_acquire gil;
  return PyErr_GivenExceptionMatches(raised->type, PyExc_NotImplementedError);
}

void neuron::python::bindTracer(py::module_ &m) {
  m.def("set_eager_tracer", [] {
    device::setTracer(&trace);
    device::setUnimplementedCheck(&isUnimplemented);
  });
}

//===- neuron-run.cpp - runs a NEFF on .npy files -------------------------===//
#include "compiler/neff/Neff.h"
#include "compiler/options/Options.h"
#include "compiler/tools/CompileFile.h"
#include "compiler/tools/Files.h"
#include "compiler/tools/Npy.h"
#include "runtime/hardware/Library.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

using namespace neuron;
using hardware::Library;
using program::Tensor;
using program::TensorKind;

namespace {

constexpr char kUsage[] =
    "usage: neuron-run FILE --input NAME=FILE.npy ... --output-dir DIR\n"
    "                  [--form interpreter|compiled] [--target NAME] "
    "[--profile]\n"
    "       neuron-run FILE --predict [--target NAME] [--profile]\n"
    "\n"
    "FILE is a NEFF, or IR (.mlir: neuron ops or nisa kernels), which is "
    "compiled.\n"
    "Runs it once and writes each output to DIR/NAME.npy. bfloat16 is read\n"
    "and written as its bits, in uint16. neuron-neff lists inputs and "
    "outputs.\n"
    "\n"
    "  --form     how the simulator runs it; the results are the same\n"
    "  --predict  only predicts the device time: nothing runs, no input is "
    "read\n"
    "  --target   the device that IR is compiled for: trn1, trn2, trn3\n"
    "  --profile  prints the predicted timeline, a line an instruction\n"
    "\n"
    "NEURON_MLIR_RUNTIME chooses the library: simulator (default), hardware, "
    "or\n"
    "a path.\n";

/// Of the command line.
struct Arguments {
  std::string file, outputDirectory, form, target;
  std::map<std::string, std::string> inputs; ///< name to file
  bool profile = false, predict = false;

  bool isIr() const { return file.ends_with(".mlir"); }
};

bool parse(int argc, char **argv, Arguments &options) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "--profile") {
      options.profile = true;
    } else if (word == "--predict") {
      options.predict = true;
    } else if (word == "--target" && hasValue) {
      options.target = argv[++i];
    } else if (word == "--output-dir" && hasValue) {
      options.outputDirectory = argv[++i];
    } else if (word == "--form" && hasValue) {
      options.form = argv[++i];
      if (options.form != "interpreter" && options.form != "compiled")
        return false;
    } else if (word == "--input" && hasValue) {
      std::string pair = argv[++i];
      size_t equals = pair.find('=');
      if (equals == std::string::npos)
        return false;
      options.inputs[pair.substr(0, equals)] = pair.substr(equals + 1);
    } else if (word.rfind("-", 0) == 0 || !options.file.empty()) {
      return false;
    } else {
      options.file = word;
    }
  }
  return !options.file.empty() &&
         (options.predict || !options.outputDirectory.empty());
}

/// The NEFF's bytes: read, or compiled.
Result<std::vector<uint8_t>> neffOf(const Arguments &arguments) {
  if (!arguments.isIr()) {
    if (!arguments.target.empty())
      return Error{"--target is for IR: a NEFF is made for one device"};
    return tools::readFile(arguments.file);
  }
  auto options = optionsFromEnvironment();
  if (!options)
    return options.error();
  if (!arguments.target.empty())
    if (auto status = setOption(*options, "target", arguments.target); !status)
      return status.error();
  auto compiled = tools::compileFile(arguments.file, *options);
  if (!compiled)
    return compiled.error();
  return std::move(compiled->neff);
}

std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string describe(const Tensor &tensor) {
  return "'" + tensor.name + "' (" + std::string(nameOf(tensor.dtype)) +
         listOf(tensor.shape) + ")";
}

/// Calls visit(offset in the strided buffer, offset in the dense array), both
/// in bytes, for every element.
template <typename Visit>
void forEachElement(const Tensor &tensor, Visit visit) {
  int64_t size = bytesOf(tensor.dtype), count = 1;
  for (int64_t dimension : tensor.shape)
    count *= dimension;
  std::vector<int64_t> index(tensor.shape.size());
  for (int64_t i = 0, offset = 0; i < count; ++i) {
    visit(offset * size, i * size, size_t(size));
    for (size_t d = index.size(); d-- > 0;) {
      offset += tensor.strides[d];
      if (++index[d] < tensor.shape[d])
        break;
      offset -= tensor.strides[d] * tensor.shape[d];
      index[d] = 0;
    }
  }
}

/// An output's name as the name of a file in the output directory.
std::string fileNameOf(const std::string &name) {
  std::string file = name;
  for (char &letter : file)
    if (!isalnum(static_cast<unsigned char>(letter)) && letter != '.' &&
        letter != '-')
      letter = '_';
  if (file.empty() || file[0] == '.')
    file = "_" + file;
  return file + ".npy";
}

/// One run. What it allocates in the runtime goes with the process.
class Run {
public:
  Run(const Library &library, const program::Program &program)
      : library(library), api(library.api()), program(program) {}

  Status load(std::span<const uint8_t> bytes, const std::string &form);
  Status bindInput(const Tensor &tensor, const std::string &path);
  Status bindOutput(const Tensor &tensor);
  Status execute();
  Result<tools::Array> readOutput(const Tensor &tensor);
  Status printPrediction(bool withTimeline);

private:
  Status check(const char *function, NRT_STATUS status) {
    if (status == NRT_SUCCESS)
      return {};
    return Error{library.describe(function, status)};
  }
  Status allocate(const Tensor &tensor);

  const Library &library;
  const hardware::NrtApi &api;
  const program::Program &program;
  nrt_model_t *model = nullptr;
  nrt_tensor_set_t *inputs = nullptr, *outputs = nullptr;
  std::map<std::string, nrt_tensor_t *> tensors;
};

Status Run::load(std::span<const uint8_t> bytes, const std::string &form) {
  if (!form.empty()) {
    if (!api.simSetForm)
      return Error{"--form is for the simulator, but '" + library.path() +
                   "' is another library"};
    int value =
        form == "interpreter" ? NEURON_SIM_INTERPRETER : NEURON_SIM_COMPILED;
    if (auto status = check("neuron_sim_set_form", api.simSetForm(value));
        !status)
      return status;
  }
  if (auto status = check("nrt_init",
                          api.init(NRT_FRAMEWORK_TYPE_NO_FW, "neuron-run", ""));
      !status)
    return status;
  if (auto status =
          check("nrt_load", api.load(bytes.data(), bytes.size(), 0, 1, &model));
      !status)
    return status;
  for (auto *set : {&inputs, &outputs})
    if (auto status =
            check("nrt_allocate_tensor_set", api.allocateTensorSet(set));
        !status)
      return status;
  return {};
}

Status Run::allocate(const Tensor &tensor) {
  nrt_tensor_t *&handle = tensors[tensor.name];
  return check("nrt_tensor_allocate",
               api.tensorAllocate(NRT_TENSOR_PLACEMENT_DEVICE, 0,
                                  size_t(tensor.bytes()), tensor.name.c_str(),
                                  &handle));
}

Status Run::bindInput(const Tensor &tensor, const std::string &path) {
  auto bytes = tools::readFile(path);
  if (!bytes)
    return bytes.error();
  auto array = tools::parseNpy(*bytes);
  if (!array)
    return Error{path + ": " + array.message()};
  if (!tools::holds(*array, tensor.dtype))
    return Error{path + " has dtype '" + array->descr + "', but input " +
                 describe(tensor) + " needs '" + tools::descrOf(tensor.dtype) +
                 "'"};
  if (array->shape != tensor.shape)
    return Error{path + " has shape " + listOf(array->shape) + ", but input " +
                 describe(tensor) + " has another"};
  if (tensor.bytes() == 0)
    return {};
  // What no element lies on is zero, so that runs repeat.
  std::vector<uint8_t> strided(size_t(tensor.bytes()));
  forEachElement(tensor, [&](int64_t at, int64_t dense, size_t size) {
    std::memcpy(&strided[size_t(at)], &array->data[size_t(dense)], size);
  });
  if (auto status = allocate(tensor); !status)
    return status;
  nrt_tensor_t *handle = tensors[tensor.name];
  if (auto status =
          check("nrt_tensor_write",
                api.tensorWrite(handle, strided.data(), 0, strided.size()));
      !status)
    return status;
  return check("nrt_add_tensor_to_tensor_set",
               api.addTensorToTensorSet(inputs, tensor.name.c_str(), handle));
}

Status Run::bindOutput(const Tensor &tensor) {
  if (tensor.bytes() == 0)
    return {};
  if (tensor.aliasedInput >= 0)
    tensors[tensor.name] =
        tensors[program.tensors[size_t(tensor.aliasedInput)].name];
  else if (auto status = allocate(tensor); !status)
    return status;
  return check("nrt_add_tensor_to_tensor_set",
               api.addTensorToTensorSet(outputs, tensor.name.c_str(),
                                        tensors[tensor.name]));
}

Status Run::execute() {
  return check("nrt_execute", api.execute(model, inputs, outputs));
}

Result<tools::Array> Run::readOutput(const Tensor &tensor) {
  std::vector<uint8_t> strided(size_t(tensor.bytes()));
  if (!strided.empty())
    if (auto status = check("nrt_tensor_read",
                            api.tensorRead(tensors[tensor.name], strided.data(),
                                           0, strided.size()));
        !status)
      return status.error();
  size_t count = 1;
  for (int64_t dimension : tensor.shape)
    count *= size_t(dimension);
  tools::Array array{tools::descrOf(tensor.dtype), tensor.shape,
                     std::vector<uint8_t>(count * bytesOf(tensor.dtype))};
  forEachElement(tensor, [&](int64_t at, int64_t dense, size_t size) {
    std::memcpy(&array.data[size_t(dense)], &strided[size_t(at)], size);
  });
  return array;
}

Status Run::printPrediction(bool withTimeline) {
  if (!api.simPredictedTimePs || !api.simTimeline) {
    std::printf("no predicted device time: '%s' is not the simulator\n",
                library.path().c_str());
    return {};
  }
  uint64_t time = 0;
  if (auto status = check("neuron_sim_predicted_time_ps",
                          api.simPredictedTimePs(model, &time));
      !status)
    return status;
  std::printf("device time: %.3f us (the simulator's prediction for %s)\n",
              double(time) / 1e6, program.target.c_str());
  if (!withTimeline)
    return {};
  neuron_sim_timeline_t *timeline = nullptr;
  if (auto status =
          check("neuron_sim_timeline", api.simTimeline(model, &timeline));
      !status)
    return status;
  std::printf("%12s %12s  %-8s instruction (predicted, in us)\n", "start",
              "end", "unit");
  for (uint64_t i = 0; i < timeline->num_events; ++i) {
    const neuron_sim_event_t &event = timeline->events[i];
    std::printf("%12.6f %12.6f  %-8s %s\n", double(event.start_ps) / 1e6,
                double(event.end_ps) / 1e6, event.unit, event.instruction);
  }
  api.simTimelineFree(timeline);
  return {};
}

Status checkNames(const Arguments &options, const program::Program &program) {
  std::string known;
  std::map<std::string, bool> given;
  for (const Tensor &tensor : program.tensors)
    if (tensor.kind == TensorKind::Input) {
      known += (known.empty() ? "" : ", ") + describe(tensor);
      given[tensor.name] = options.inputs.count(tensor.name) != 0;
    }
  for (const auto &[name, path] : options.inputs)
    if (!given.count(name))
      return Error{"the NEFF has no input '" + name + "'; it has " +
                   (known.empty() ? "none" : known)};
  for (const auto &[name, present] : given)
    if (!present)
      return Error{"input '" + name + "' is missing: add --input " + name +
                   "=FILE.npy; the inputs are " + known};
  return {};
}

Status run(const Arguments &options) {
  auto bytes = neffOf(options);
  if (!bytes)
    return bytes.error();
  auto file = neff::readNeff(*bytes);
  if (!file)
    return Error{options.file + ": " + file.message()};
  auto program = neff::programOf(*file);
  if (!program)
    return Error{options.file + ": " + program.message()};
  if (!options.predict)
    if (auto status = checkNames(options, *program); !status)
      return status;
  const auto &library = Library::get();
  if (!library)
    return library.error();

  Run session(*library, *program);
  if (auto status = session.load(*bytes, options.form); !status)
    return status;
  if (options.predict)
    return session.printPrediction(options.profile);
  for (const Tensor &tensor : program->tensors)
    if (tensor.kind == TensorKind::Input)
      if (auto status =
              session.bindInput(tensor, options.inputs.at(tensor.name));
          !status)
        return status;
  for (const Tensor &tensor : program->tensors)
    if (tensor.kind == TensorKind::Output)
      if (auto status = session.bindOutput(tensor); !status)
        return status;
  if (auto status = session.execute(); !status)
    return status;

  if (auto status = tools::makeDirectories(options.outputDirectory); !status)
    return status;
  for (const Tensor &tensor : program->tensors) {
    if (tensor.kind != TensorKind::Output)
      continue;
    auto array = session.readOutput(tensor);
    if (!array)
      return array.error();
    std::string path = options.outputDirectory + "/" + fileNameOf(tensor.name);
    if (auto status = tools::writeFile(path, tools::formatNpy(*array)); !status)
      return status;
    std::printf("output %s -> %s%s\n", describe(tensor).c_str(), path.c_str(),
                tensor.dtype == program::DType::BF16 ? " (the bits, as uint16)"
                                                     : "");
  }
  return session.printPrediction(options.profile);
}

} // namespace

int main(int argc, char **argv) {
  Arguments options;
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::printf("%s", kUsage);
    return 0;
  }
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "%s", kUsage);
    return 2;
  }
  if (auto status = run(options); !status) {
    std::fprintf(stderr, "neuron-run: error: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}

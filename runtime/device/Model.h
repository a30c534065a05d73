//===- Model.h - a NEFF on the device ---------------------------*- C++ -*-===//
//
// A new program runs at once in the simulator's interpreter and is made native
// code in the background when it is run often; a large one is made native code
// at once. Results and predicted times are the same.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/device/Runtime.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace neuron::device {

/// nrt_load for one form of the simulator: "interpreter", "compiled", or what
/// the environment says, and "compiled" if it says nothing. The form is a
/// setting of the process, so all loading comes by here.
NRT_STATUS loadInForm(const void *neff, size_t size, c10::DeviceIndex device,
                      const std::string &form, nrt_model_t **model);

/// What an operation of a program is, and where it was written if known.
struct SourceLine {
  std::string id; ///< as the program's locations name it
  std::string op; ///< "aten.mul.Tensor"
  std::string file;
  uint32_t line = 0;
};
/// The id of a location of a graph's programs.
inline std::string locationId(size_t number) {
  std::string id = std::to_string(number);
  id.insert(id.begin(), 'L');
  return id;
}
/// For profiles of the model; a library that takes none has no such profiles.
void giveLines(nrt_model_t *model, const std::vector<SourceLine> &lines);

class Model : public std::enable_shared_from_this<Model> {
public:
  enum class Tier : uint8_t {
    Native,   ///< from the start
    Deferred, ///< when it has run a few times
  };
  /// `form`: "", "interpreter" or "compiled", which leaves no choice. Throws
  /// c10::Error.
  static std::shared_ptr<Model> load(std::vector<uint8_t> neff,
                                     c10::DeviceIndex device, Tier tier,
                                     const std::string &form = "",
                                     std::vector<SourceLine> lines = {});
  ~Model();
  Model(const Model &) = delete;

  const c10::DeviceIndex device;
  /// What to run now.
  nrt_model_t *handle();

private:
  Model(std::vector<uint8_t> neff, c10::DeviceIndex device)
      : device(device), neff(std::move(neff)) {}
  void makeNative() noexcept;

  std::vector<uint8_t> neff; ///< until there is native code, as the lines
  std::vector<SourceLine> lines;
  std::atomic<nrt_model_t *> current = nullptr;
  nrt_model_t *interpreted = nullptr; ///< may still be running
  std::atomic<int> runsLeft = 0;      ///< before native code is made
};

} // namespace neuron::device

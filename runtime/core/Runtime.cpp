//===- Runtime.cpp - the state of the process's runtime -------------------===//
#include "runtime/core/Runtime.h"

namespace neuron::nrt {
namespace {
thread_local std::string theLastError;
thread_local const char *theFunction = "";
} // namespace

Runtime &runtime() {
  // Never destroyed: clients may call while the process ends.
  static Runtime *state = new Runtime;
  return *state;
}

NRT_STATUS fail(NRT_STATUS status, std::string message) {
  if (isLogged(LogLevel::Error))
    log(LogLevel::Error, theFunction,
        std::string(nrt_get_status_as_str(status)) + ": " + message);
  return failQuietly(status, std::move(message));
}

NRT_STATUS failQuietly(NRT_STATUS status, std::string message) {
  theLastError = std::move(message);
  return status;
}

const char *lastError() { return theLastError.c_str(); }
const char *currentFunction() { return theFunction; }
void enter(const char *function) { theFunction = function; }

} // namespace neuron::nrt

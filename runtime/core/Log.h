//===- Log.h - the runtime's log --------------------------------*- C++ -*-===//
//
// Lines as AWS's runtime writes them, which clients and people parse:
//   2026-Jan-09 20:27:41.059312 15042:15042 ERROR  NRT:nrt_load   message
// NEURON_RT_LOG_LEVEL[_NRT] and NEURON_RT_LOG_LOCATION[_NRT] say how much goes
// where; only errors, to stderr, unless told otherwise.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <string>

namespace neuron::nrt {

enum class LogLevel : int { Quiet, Error, Warning, Info, Debug, Trace };

/// Reads the environment again; false if it names no known level.
bool configureLog(std::string &problem);

bool isLogged(LogLevel level);
void log(LogLevel level, const char *function, const std::string &message);

} // namespace neuron::nrt

//===- Log.cpp - the runtime's log ----------------------------------------===//
#include "runtime/core/Log.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string_view>
#include <strings.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

namespace neuron::nrt {
namespace {

struct LevelRow {
  const char *name;
  int priority; ///< of syslog
};
constexpr LevelRow kLevels[] = {{"QUIET", LOG_DEBUG},     {"ERROR", LOG_ERR},
                                {"WARNING", LOG_WARNING}, {"INFO", LOG_INFO},
                                {"DEBUG", LOG_DEBUG},     {"TRACE", LOG_DEBUG}};

struct Log {
  std::atomic<LogLevel> level = LogLevel::Error;
  std::mutex writing;
  bool toSyslog = false;
  FILE *file = nullptr; ///< owned; null: stderr
};

/// Never destroyed: threads may log while the process ends.
Log &theLog() {
  static Log *log = new Log;
  return *log;
}

/// The component's own variable goes before the general one.
const char *setting(const char *component, const char *general) {
  if (const char *value = std::getenv(component))
    return value;
  return std::getenv(general);
}

std::string lineOf(LogLevel level, const char *function,
                   const std::string &message) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm local;
  localtime_r(&now.tv_sec, &local);
  // The month is a name in English whatever the locale.
  static constexpr const char *months[] = {"Jan", "Feb", "Mar", "Apr",
                                           "May", "Jun", "Jul", "Aug",
                                           "Sep", "Oct", "Nov", "Dec"};
  char head[160];
  snprintf(head, sizeof(head),
           "%04d-%s-%02d %02d:%02d:%02d.%06ld %d:%ld %-7s NRT:%s   ",
           local.tm_year + 1900, months[local.tm_mon], local.tm_mday,
           local.tm_hour, local.tm_min, local.tm_sec, now.tv_nsec / 1000,
           int(getpid()), syscall(SYS_gettid), kLevels[int(level)].name,
           function);
  return head + message + "\n";
}

} // namespace

bool configureLog(std::string &problem) {
  Log &log = theLog();
  const char *name = setting("NEURON_RT_LOG_LEVEL_NRT", "NEURON_RT_LOG_LEVEL");
  if (name) {
    bool known = false;
    for (size_t i = 0; i < std::size(kLevels); ++i)
      if (!strcasecmp(name, kLevels[i].name)) {
        log.level = static_cast<LogLevel>(i);
        known = true;
      }
    if (!known) {
      problem = std::string("NEURON_RT_LOG_LEVEL is '") + name +
                "'; use QUIET, ERROR, WARNING, INFO, DEBUG or TRACE";
      return false;
    }
  } else {
    log.level = LogLevel::Error;
  }

  const char *place =
      setting("NEURON_RT_LOG_LOCATION_NRT", "NEURON_RT_LOG_LOCATION");
  std::string_view where = place && *place ? place : "console";
  std::lock_guard lock(log.writing);
  if (log.file)
    fclose(log.file);
  log.file = nullptr;
  log.toSyslog = where == "syslog";
  if (log.toSyslog || where == "console")
    return true;
  log.file = fopen(place, "ae");
  if (!log.file)
    problem = std::string("NEURON_RT_LOG_LOCATION: cannot append to '") +
              place + "'; name a writable file, console or syslog";
  return log.file != nullptr;
}

bool isLogged(LogLevel level) { return level <= theLog().level; }

void log(LogLevel level, const char *function, const std::string &message) {
  Log &log = theLog();
  if (!isLogged(level))
    return;
  std::string line = lineOf(level, function, message);
  std::lock_guard lock(log.writing);
  if (log.toSyslog) {
    syslog(kLevels[int(level)].priority, "NRT:%s %s", function,
           message.c_str());
    return;
  }
  FILE *file = log.file ? log.file : stderr;
  fwrite(line.data(), 1, line.size(), file);
  fflush(file);
}

} // namespace neuron::nrt

//===- EventJson.cpp - events as nrt_sys_trace_fetch_events gives them ----===//
#include "runtime/profile/EventJson.h"
#include <algorithm>
#include <unistd.h>

namespace neuron::profile {
namespace {

void appendQuoted(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

/// {"key": value, ...}
class Object {
public:
  explicit Object(std::string &out) : out(out) { out += '{'; }
  void close() { out += '}'; }

  void add(const char *key, uint64_t value) {
    name(key);
    out += std::to_string(value);
  }
  void add(const char *key, std::string_view value) {
    name(key);
    appendQuoted(out, value);
  }
  /// Left out if it is 0.
  void addNumber(const char *key, uint64_t value) {
    if (value)
      add(key, value);
  }
  void name(const char *key) {
    if (!first)
      out += ',';
    first = false;
    appendQuoted(out, key);
    out += ':';
  }

private:
  std::string &out;
  bool first = true;
};

enum class Phase : uint8_t { Start, Stop, Instant };
constexpr std::string_view kPhases[] = {"start", "stop", "instant"};

void appendData(std::string &out, const Event &event, Phase phase) {
  Object data(out);
  if (event.type == EventType::TimestampSyncPoint)
    data.add("cpu_timestamp_ns", event.start);
  if (event.deviceEnd)
    data.add("nc_timestamp_ns",
             phase == Phase::Stop ? event.deviceEnd : event.deviceStart);
  data.addNumber("nrta_seq_id", event.sequence);
  data.addNumber("exec_id", event.execution);
  data.addNumber("model_id", event.model);
  if (event.physicalCore >= 0)
    data.add("device_core_idx", uint64_t(event.physicalCore));
  if (event.name)
    data.add(event.nameKey, *event.name);
  if (event.size)
    data.add("size", *event.size);
  data.close();
}

void append(std::string &out, const Event &event, Phase phase) {
  static const auto process = static_cast<uint64_t>(getpid());
  Object object(out);
  object.add("event_type", rowOf(event.type).name);
  object.add("phase", kPhases[size_t(phase)]);
  object.add("tracking_id", event.tracking);
  object.add("timestamp_ns", phase == Phase::Stop ? event.end : event.start);
  object.add("nc_idx", event.core);
  object.add("thread_id", event.thread);
  object.add("process_id", process);
  object.name("data");
  appendData(out, event, phase);
  object.close();
}

/// One line of the trace, to be put in order.
struct Line {
  const Event *event;
  Phase phase;
  uint64_t time() const {
    return phase == Phase::Stop ? event->end : event->start;
  }
};

/// The clocks are the same one.
Event syncPoint(uint32_t core, uint64_t when) {
  Event event{EventType::TimestampSyncPoint};
  event.instant = true;
  event.core = core;
  event.thread = uint32_t(gettid());
  event.start = event.end = event.deviceStart = event.deviceEnd = when;
  return event;
}

} // namespace

std::string toJson(const std::vector<Session::Taken> &cores, bool withSync) {
  std::vector<Line> lines;
  std::vector<Event> syncPoints;
  syncPoints.reserve(cores.size()); // lines point into it
  for (const Session::Taken &core : cores) {
    uint64_t earliest = UINT64_MAX;
    for (const Event &event : core.events) {
      earliest = std::min(earliest, event.start);
      lines.push_back({&event, event.instant ? Phase::Instant : Phase::Start});
      if (!event.instant)
        lines.push_back({&event, Phase::Stop});
    }
    if (withSync && !core.events.empty())
      lines.push_back({&syncPoints.emplace_back(syncPoint(core.core, earliest)),
                       Phase::Instant});
  }
  // A call encloses what it does: of equal times, what started first comes
  // first, and a stop after its start.
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line &a, const Line &b) {
                     if (a.time() != b.time())
                       return a.time() < b.time();
                     return (a.event->type == EventType::TimestampSyncPoint) >
                            (b.event->type == EventType::TimestampSyncPoint);
                   });
  std::string out = "{\"events\":[";
  for (const Line &line : lines) {
    if (&line != &lines.front())
      out += ',';
    append(out, *line.event, line.phase);
  }
  return out + "],\"data_version\":2}";
}

} // namespace neuron::profile

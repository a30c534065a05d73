//===- SysTraceTest.cpp - nrt_sys_trace_* ---------------------------------===//
#include "nrt/nrt_sys_trace.h"
#include "test/runtime/AsyncFixture.h"
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace neuron;
using namespace neuron::test;
using nlohmann::json;

namespace {

class SysTrace : public Async {
protected:
  void SetUp() override {
    Async::SetUp();
    ASSERT_EQ(nrt_sys_trace_config_allocate(&config), NRT_SUCCESS);
  }
  void TearDown() override {
    nrt_sys_trace_config_free(config);
    nrt_sys_trace_stop();
    Async::TearDown();
  }
  void start() {
    ASSERT_EQ(nrt_sys_trace_start(config), NRT_SUCCESS) << lastError();
  }

  std::vector<json> fetch(const nrt_sys_trace_fetch_options_t *options = {}) {
    char *buffer = nullptr;
    size_t size = 0;
    EXPECT_EQ(nrt_sys_trace_fetch_events(&buffer, &size, options), NRT_SUCCESS)
        << lastError();
    if (!buffer)
      return {};
    EXPECT_EQ(size, std::strlen(buffer));
    json all = json::parse(std::string(buffer, size));
    nrt_sys_trace_buffer_free(buffer);
    EXPECT_EQ(all["data_version"], 2);
    return all["events"];
  }

  /// A start and its stop.
  struct Pair {
    json start, stop;
    uint64_t begin() const { return start["timestamp_ns"]; }
    uint64_t end() const { return stop["timestamp_ns"]; }
    bool holds(const Pair &inner) const {
      return begin() <= inner.begin() && inner.end() <= end();
    }
  };
  /// Joins what has the same number, as consumers do.
  static std::vector<Pair> pairsOf(const std::vector<json> &events,
                                   const std::string &type) {
    std::map<uint64_t, Pair> pairs;
    for (const json &event : events)
      if (event["event_type"] == type)
        (event["phase"] == "start" ? pairs[event["tracking_id"]].start
                                   : pairs[event["tracking_id"]].stop) = event;
    std::vector<Pair> result;
    for (auto &[number, pair] : pairs) {
      EXPECT_FALSE(pair.start.is_null()) << type;
      EXPECT_FALSE(pair.stop.is_null()) << type;
      EXPECT_LE(pair.begin(), pair.end()) << type;
      result.push_back(std::move(pair));
    }
    return result;
  }
  static Pair onlyPair(const std::vector<json> &events, const char *type) {
    auto pairs = pairsOf(events, type);
    EXPECT_EQ(pairs.size(), 1u) << type;
    return pairs.size() == 1 ? pairs[0] : Pair();
  }
  static std::map<std::string, int> countsOf(const std::vector<json> &events) {
    std::map<std::string, int> counts;
    for (const json &event : events)
      counts[event["event_type"]] += event["phase"] != "stop";
    return counts;
  }

  nrt_sys_trace_config_t *config = nullptr;
};

TEST_F(SysTrace, AnExecution) {
  start();
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
  Span span = lastSpan();
  auto events = fetch();
  auto call = onlyPair(events, "nrt_execute");
  auto submit = onlyPair(events, "nrt_model_submit");
  auto before = onlyPair(events, "kbl_exec_pre");
  auto wait = onlyPair(events, "kbl_exec_wait");
  auto after = onlyPair(events, "kbl_exec_post");
  EXPECT_TRUE(call.holds(submit));
  for (const Pair &part : {before, wait, after})
    EXPECT_TRUE(submit.holds(part));
  EXPECT_LE(before.end(), wait.begin());
  EXPECT_LE(wait.end(), after.begin());
  auto device = onlyPair(events, "nc_exec_running");
  EXPECT_EQ(device.start["data"]["nc_timestamp_ns"], span.start);
  EXPECT_EQ(device.stop["data"]["nc_timestamp_ns"], span.end);
  EXPECT_EQ(device.start["data"]["device_core_idx"], 0);
  for (const Pair &pair : {submit, before, wait, after, device})
    for (const json &event : {pair.start, pair.stop}) {
      EXPECT_EQ(event["data"]["exec_id"], 1) << event;
      EXPECT_EQ(event["data"]["model_name"], "add.neff");
      EXPECT_EQ(event["data"]["model_id"], call.start["data"]["model_id"]);
      EXPECT_EQ(event["nc_idx"], 0);
      EXPECT_EQ(event["process_id"], getpid());
      EXPECT_FALSE(event["data"].contains("nrta_seq_id"));
    }
}

/// What links the lanes: creation, scheduling, execution.
TEST_F(SysTrace, AScheduledExecutionIsFoundByItsSequenceNumber) {
  start();
  Ticket tickets[2];
  for (Ticket &ticket : tickets)
    ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
  waitFor(tickets[1]);
  auto events = fetch();
  for (const char *type : {"nrta_execute_schedule", "nrt_model_submit",
                           "kbl_exec_wait", "nc_exec_running"}) {
    auto pairs = pairsOf(events, type);
    ASSERT_EQ(pairs.size(), 2u) << type;
    std::set<uint64_t> numbers;
    for (const Pair &pair : pairs)
      for (const json &event : {pair.start, pair.stop})
        numbers.insert(event["data"]["nrta_seq_id"].get<uint64_t>());
    EXPECT_EQ(numbers, (std::set{tickets[0].seq, tickets[1].seq})) << type;
  }
  auto scheduled = pairsOf(events, "nrta_execute_schedule");
  auto submitted = pairsOf(events, "nrt_model_submit");
  EXPECT_NE(scheduled[0].start["thread_id"], submitted[0].start["thread_id"]);
}

TEST_F(SysTrace, TensorsAndTransfers) {
  start();
  nrt_tensor_t *x = nullptr, *host = allocate(64, kHost, -1);
  char bytes[64] = {};
  ASSERT_EQ(nrt_tensor_allocate(kDevice, 1, 64, "weights", &x), NRT_SUCCESS);
  nrt_tensor_write(x, bytes, 0, 64);
  Span in = lastSpan();
  nrt_tensor_read(x, bytes, 16, 32);
  Span back = lastSpan();
  nrt_tensor_copy(x, 0, host, 0, 8);
  nrt_tensor_write(host, bytes, 0, 64);
  nrt_tensor_free(&x);
  nrt_tensor_free(&host);
  auto events = fetch();
  auto allocated = onlyPair(events, "nrt_tensor_allocate");
  auto freed = onlyPair(events, "nrt_tensor_free");
  auto written = onlyPair(events, "nrt_tensor_write");
  auto got = onlyPair(events, "nrt_tensor_read");
  EXPECT_TRUE(allocated.holds(onlyPair(events, "nrt_dma_mem_alloc")));
  EXPECT_TRUE(freed.holds(onlyPair(events, "nrt_dma_mem_dealloc")));
  auto copyIn = onlyPair(events, "dmem_buf_copyin");
  EXPECT_TRUE(written.holds(copyIn));
  EXPECT_EQ(copyIn.start["data"]["nc_timestamp_ns"], in.start);
  EXPECT_EQ(copyIn.stop["data"]["nc_timestamp_ns"], in.end);
  auto copiesOut = pairsOf(events, "dmem_buf_copyout");
  ASSERT_EQ(copiesOut.size(), 2u) << "of the read, and of the copy";
  EXPECT_TRUE(got.holds(copiesOut[0]));
  EXPECT_EQ(copiesOut[0].stop["data"]["nc_timestamp_ns"], back.end);
  EXPECT_EQ(copiesOut[1].start["data"]["size"], 8);
  for (const Pair &pair : {allocated, freed, written, got})
    EXPECT_EQ(pair.start["data"]["tensor_name"], "weights");
  EXPECT_EQ(written.start["data"]["size"], 64);
  EXPECT_EQ(got.start["data"]["size"], 32);
  for (const json &event : events)
    EXPECT_EQ(event["nc_idx"], 1) << event;
}

TEST_F(SysTrace, ScheduledTransfersHaveTheirNumber) {
  start();
  Ticket to, from;
  char bytes[4];
  ASSERT_EQ(write(a, values.data(), 4, to), NRT_SUCCESS);
  ASSERT_EQ(read(bytes, a, 4, from), NRT_SUCCESS);
  waitFor(from);
  auto events = fetch();
  for (auto [type, seq] : {std::pair("nrt_tensor_write", to.seq),
                           {"dmem_buf_copyin", to.seq},
                           {"nrt_tensor_read", from.seq},
                           {"dmem_buf_copyout", from.seq}})
    EXPECT_EQ(onlyPair(events, type).start["data"]["nrta_seq_id"], seq) << type;
}

TEST_F(SysTrace, LoadsAndModelSwitches) {
  start();
  nrt_model_t *other = load(addProgram());
  for (nrt_model_t *which : {model, model, other, model})
    ASSERT_EQ(nrt_execute(which, inputs, outputs), NRT_SUCCESS);
  auto events = fetch();
  EXPECT_TRUE(
      onlyPair(events, "nrt_load").holds(onlyPair(events, "model_load")));
  auto counts = countsOf(events);
  EXPECT_EQ(counts["nc_exec_running"], 4);
  EXPECT_EQ(counts["nc_model_switch"], 2);
  for (const json &event : events)
    if (event["event_type"] == "nc_model_switch") {
      EXPECT_EQ(event["phase"], "instant");
    }
}

TEST_F(SysTrace, EventsComeInTheOrderOfTime) {
  start();
  for (int i = 0; i < 3; ++i)
    nrt_execute(model, inputs, outputs);
  uint64_t last = 0;
  for (const json &event : fetch()) {
    EXPECT_GE(event["timestamp_ns"].get<uint64_t>(), last);
    last = event["timestamp_ns"];
  }
  EXPECT_GT(last, 0u);
}

TEST_F(SysTrace, ClocksAreJoinedByASyncPoint) {
  start();
  nrt_execute(model, inputs, outputs);
  auto events = fetch();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0]["event_type"], "timestamp_sync_point");
  const json &data = events[0]["data"];
  EXPECT_EQ(data["cpu_timestamp_ns"], data["nc_timestamp_ns"]);
}

TEST_F(SysTrace, FetchingTakesEventsOut) {
  start();
  nrt_execute(model, inputs, outputs);
  EXPECT_FALSE(fetch().empty());
  EXPECT_TRUE(fetch().empty());
  nrt_execute(model, inputs, outputs);
  EXPECT_EQ(countsOf(fetch())["nrt_execute"], 1);
}

TEST_F(SysTrace, TheOldestAreDropped) {
  // Of one execution there are six pairs.
  nrt_sys_trace_config_set_max_events_per_nc(config, 12);
  start();
  for (int i = 0; i < 5; ++i)
    nrt_execute(model, inputs, outputs);
  auto events = fetch();
  auto counts = countsOf(events);
  EXPECT_EQ(counts["nrt_execute"], 1);
  EXPECT_EQ(counts["nc_exec_running"], 1);
  EXPECT_EQ(onlyPair(events, "nc_exec_running").start["data"]["exec_id"], 5);
}

TEST_F(SysTrace, FetchOptions) {
  start();
  auto bytes = addNeff();
  nrt_model_t *far = nullptr;
  ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 2, 1, &far), NRT_SUCCESS);
  nrt_execute(model, inputs, outputs);
  nrt_execute(far, inputs, outputs);
  nrt_sys_trace_fetch_options_t *options = nullptr;
  ASSERT_EQ(nrt_sys_trace_fetch_options_allocate(&options), NRT_SUCCESS);
  nrt_sys_trace_fetch_options_set_nc_idx(options, 2);
  for (const json &event : fetch(options))
    EXPECT_EQ(event["nc_idx"], 2);
  nrt_sys_trace_fetch_options_set_defaults(options);
  nrt_sys_trace_fetch_options_set_max_events_per_nc(options, 4);
  auto some = fetch(options);
  EXPECT_EQ(some.size(), 5u) << "two pairs and the clocks";
  for (const json &event : some)
    EXPECT_EQ(event["nc_idx"], 0);
  EXPECT_FALSE(fetch().empty());
  nrt_sys_trace_fetch_options_free(options);
}

TEST_F(SysTrace, Filters) {
  nrt_sys_trace_config_set_capture_enabled_for_nc(config, 0, false);
  start();
  nrt_execute(model, inputs, outputs);
  EXPECT_TRUE(fetch().empty());
  nrt_sys_trace_stop();
  nrt_sys_trace_config_set_defaults(config);
  auto only = nrt_sys_trace_config_set_capture_enabled_for_event_type;
  for (const char *type : {"kbl_exec_pre", "timestamp_sync_point"})
    ASSERT_EQ(only(config, type, false), NRT_SUCCESS);
  EXPECT_EQ(only(config, "kbl_exec_never", false), NRT_INVALID);
  expectError("no type of event 'kbl_exec_never'");
  start();
  nrt_execute(model, inputs, outputs);
  auto counts = countsOf(fetch());
  EXPECT_EQ(counts["kbl_exec_pre"], 0);
  EXPECT_EQ(counts["timestamp_sync_point"], 0);
  EXPECT_EQ(counts["kbl_exec_post"], 1);
}

TEST_F(SysTrace, TypesAreListed) {
  const char **names = nullptr;
  size_t count = 0, fewer = 0;
  ASSERT_EQ(nrt_sys_trace_get_event_types(&names, &count), NRT_SUCCESS);
  std::set<std::string> known(names, names + count);
  for (const char *name : {"nc_exec_running", "nrta_execute_schedule",
                           "dmem_buf_copyin", "cc_exec_barrier"})
    EXPECT_TRUE(known.contains(name)) << name;
  // Clients may free each by themselves.
  for (size_t i = 0; i < count; ++i)
    std::free(const_cast<char *>(names[i]));
  std::free(names);
  nrt_sys_trace_config_set_capture_enabled_for_event_type(config, "nrt_load",
                                                          false);
  ASSERT_EQ(
      nrt_sys_trace_config_get_enabled_event_types(config, &names, &fewer),
      NRT_SUCCESS);
  EXPECT_EQ(fewer, count - 1);
  nrt_sys_trace_free_event_types(names, fewer);
}

TEST_F(SysTrace, StartAndStop) {
  char *buffer;
  size_t size;
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  EXPECT_EQ(nrt_sys_trace_fetch_events(&buffer, &size, nullptr), NRT_FAILURE);
  expectError("no trace is on");
  start();
  EXPECT_EQ(nrt_sys_trace_start(config), NRT_FAILURE);
  nrt_sys_trace_config_set_capture_enabled_for_nc(config, 0, false);
  nrt_execute(model, inputs, outputs);
  EXPECT_FALSE(fetch().empty()) << "the options were copied";
  nrt_execute(model, inputs, outputs);
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  ASSERT_EQ(nrt_sys_trace_start(nullptr), NRT_SUCCESS);
  EXPECT_TRUE(fetch().empty()) << "what was not fetched is lost";
}

TEST_F(SysTrace, NamesAreQuoted) {
  start();
  nrt_tensor_t *x = nullptr;
  const char *name = "a \"b\"\\\n\x01 \xc3\xa9";
  nrt_tensor_allocate(kDevice, 0, 4, name, &x);
  EXPECT_EQ(
      onlyPair(fetch(), "nrt_tensor_allocate").start["data"]["tensor_name"],
      name);
}

TEST_F(SysTrace, LogicalCoresOfTwoHaveTwoPairs) {
  Variable cores("NEURON_RT_VIRTUAL_CORE_SIZE", "2");
  nrt_close();
  ASSERT_EQ(init(), NRT_SUCCESS);
  auto bytes = addNeff();
  bytes[552] = 2; // logical core size, outside of what is hashed
  ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 1, 1, &model), NRT_SUCCESS)
      << lastError();
  inputs = newSet();
  outputs = newSet();
  for (const char *name : {"a", "b"})
    nrt_add_tensor_to_tensor_set(inputs, name, allocate(kBytes, kDevice, 1));
  nrt_add_tensor_to_tensor_set(outputs, "out", allocate(kBytes, kDevice, 1));
  start();
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  auto pairs = pairsOf(fetch(), "nc_exec_running");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].start["data"]["device_core_idx"], 2);
  EXPECT_EQ(pairs[1].start["data"]["device_core_idx"], 3);
  EXPECT_EQ(pairs[0].start["data"]["exec_id"],
            pairs[1].start["data"]["exec_id"]);
}

} // namespace

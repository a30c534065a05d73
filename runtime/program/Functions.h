//===- Functions.h - the table of scalar functions --------------*- C++ -*-===//
//
// Functions.def as an enum and a table.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"

namespace neuron::program {

enum class Fn : uint8_t {
#define NEURON_FN(name, ...) name,
#include "runtime/program/Functions.def"
};

/// GpSimd operation class; the cost of one operation of each class is in the
/// target's parameter table.
enum class FnCost : uint8_t { Simple, Multiply, Divide, Special };

struct FnInfo {
  std::string_view name;
  uint8_t arity;
  uint8_t domains; ///< bits of FnDomain
  bool resultIsBool;
  uint8_t engines; ///< bits of FnEngine, beside GpSimd
  FnCost cost;
  uint8_t ulp; ///< float32 error bound, 0: exact
};

namespace fn_table {
inline constexpr uint8_t F = 1, I = 2, B = 4;
inline constexpr uint8_t None = 0, Vec = 1, Act = 2;
inline constexpr bool Same = false, Bool = true;
inline constexpr FnInfo kRows[] = {
#define NEURON_FN(name, arity, domains, result, engines, cost, ulp)            \
  {#name, arity, domains, result, engines, FnCost::cost, ulp},
#include "runtime/program/Functions.def"
};
} // namespace fn_table

inline constexpr unsigned kNumFns = sizeof(fn_table::kRows) / sizeof(FnInfo);

constexpr const FnInfo &info(Fn fn) {
  return fn_table::kRows[static_cast<unsigned>(fn)];
}
constexpr std::string_view nameOf(Fn fn) { return info(fn).name; }
constexpr bool runsOnVector(Fn fn) { return info(fn).engines & fn_table::Vec; }
constexpr bool runsOnScalar(Fn fn) { return info(fn).engines & fn_table::Act; }

/// Whether `fn` is defined when it computes in `type`.
constexpr bool isLegal(Fn fn, DType type) {
  uint8_t domain = type == DType::Bool ? fn_table::B
                   : isFloat(type)     ? fn_table::F
                                       : fn_table::I;
  return (info(fn).domains & domain) != 0 && !isSmallFloat(type);
}

constexpr std::optional<Fn> fnFromName(std::string_view name) {
  for (unsigned i = 0; i < kNumFns; ++i)
    if (fn_table::kRows[i].name == name)
      return static_cast<Fn>(i);
  return std::nullopt;
}

} // namespace neuron::program

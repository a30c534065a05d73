//===- Result.h - a value or an error message -------------------*- C++ -*-===//
//
// How the runtime's C++ reports failure: never by exceptions, never by
// aborting.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <optional>
#include <string>
#include <utility>

namespace neuron {

/// What went wrong, for a person: what, where, and what to do about it.
struct Error {
  std::string message;
};

/// Success, or an Error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}
  bool ok() const { return !failure; }
  explicit operator bool() const { return ok(); }
  const std::string &message() const { return failure->message; }
  Error error() const { return *failure; }

private:
  std::optional<Error> failure;
};

/// A T, or an Error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Error error) : failure(std::move(error)) {}
  bool ok() const { return held.has_value(); }
  explicit operator bool() const { return ok(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  const std::string &message() const { return failure->message; }
  Error error() const { return *failure; }

private:
  std::optional<T> held;
  std::optional<Error> failure;
};

} // namespace neuron

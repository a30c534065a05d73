//===- Facts.h - small facts about dataflow ---------------------*- C++ -*-===//
//
// Named ops are recognised from facts such as "is the square of v" or "is the
// mean of v over these dimensions", each found whatever its spelling is. A
// matcher that succeeds notes the ops that it has seen through: they would
// vanish, so the raising checks that nothing else uses them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace neuron::graph {

/// Ops between the inputs and the result of a composite.
using Interior = llvm::SmallVector<mlir::Operation *, 16>;

/// Whether only interior ops and `root` use what the interior ops compute.
bool isClosed(const Interior &interior, mlir::Operation *root);

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The one number that a constant holds, seen through views.
std::optional<double> constantOf(mlir::Value value);
/// Whether two numbers are the same within `ulps` roundings of the type.
bool isClose(double value, double wanted, mlir::Type type, double ulps = 1);

//===----------------------------------------------------------------------===//
// Pointwise facts
//===----------------------------------------------------------------------===//

/// v * v, square(v), pow(v, 2)  ->  v
mlir::Value squaredValue(mlir::Value value, Interior &interior);
/// lhs - rhs, lhs + (-rhs)  ->  {lhs, rhs}
std::optional<std::pair<mlir::Value, mlir::Value>>
difference(mlir::Value value, Interior &interior);
/// c * v, v * c, v / c, -v  ->  {c, v}
std::optional<std::pair<double, mlir::Value>> scaled(mlir::Value value,
                                                     Interior &interior);
/// Coefficients of `value` as a polynomial of `x`, up to the third power.
std::optional<std::array<double, 4>>
polynomial(mlir::Value value, mlir::Value x, Interior &interior);

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// (scale * reduction + offset) ^ power, in any spelling, through views.
struct Statistic {
  mlir::Operation *reduction = nullptr;
  double scale = 1, offset = 0, power = 1;
  /// From the value down to the reduction.
  llvm::SmallVector<mlir::Operation *> path;

  mlir::Value reduced() const { return reduction->getOperand(0); }
  llvm::ArrayRef<int64_t> dims() const;
  /// Number of elements reduced into one.
  double count() const;
};
std::optional<Statistic> statistic(mlir::Value value, Interior &interior);

/// Whether the statistic, broadcast against `x`, meets the elements of x that
/// it was made of: the dimensions kept lie where those of x do.
bool isAlignedWith(const Statistic &statistic, mlir::Value x);

/// The mean of `x` along some dimensions, aligned with x.
std::optional<Statistic> meanOf(mlir::Value value, mlir::Value x,
                                Interior &interior);
/// The maximum of `x` along some dimensions, aligned with x.
std::optional<Statistic> maxOf(mlir::Value value, mlir::Value x,
                               Interior &interior);

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct Factor {
  mlir::Value value;
  bool inverse = false;
  bool operator==(const Factor &) const = default;
};

/// All nodes of the tree of multiplications and divisions below a value, in
/// any association; `value` itself is the first. Large trees are cut off.
llvm::SmallVector<Factor> factors(mlir::Value value);

/// value = constant * product of the wanted factors * the other factors.
struct Product {
  double constant = 1;
  llvm::SmallVector<Factor> others;
};
std::optional<Product>
productOf(mlir::Value value, llvm::ArrayRef<Factor> wanted, Interior &interior);

} // namespace neuron::graph

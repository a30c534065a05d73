//===- Movement.cpp - elements to other places along a dimension ----------===//
#include "compiler/import/Movement.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

static SmallVector<int64_t> withSize(Value x, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(Emitter::shapeOf(x));
  shape[dim] = size;
  return shape;
}

Value import::sliceDim(Emitter &e, Value x, int64_t dim, int64_t start,
                       int64_t step, int64_t size) {
  int64_t rank = Emitter::rankOf(x);
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  starts[dim] = start;
  steps[dim] = step;
  return e.slice(x, starts, steps, withSize(x, dim, size));
}

Value import::padDim(Emitter &e, Value x, int64_t dim, int64_t before,
                     int64_t after, Number number) {
  int64_t size = Emitter::shapeOf(x)[dim];
  int64_t first = std::max<int64_t>(-before, 0);
  int64_t kept = size - first - std::max<int64_t>(-after, 0);
  DType dtype = dtypeOf(x.getType());
  SmallVector<Value> parts;
  if (before > 0)
    parts.push_back(e.constant(dtype, number, withSize(x, dim, before)));
  parts.push_back(sliceDim(e, x, dim, first, 1, kept));
  if (after > 0)
    parts.push_back(e.constant(dtype, number, withSize(x, dim, after)));
  return e.concat(parts, dim);
}

/// What `move` does to a dimension, where it needs a dimension more than there
/// may be: those before it become one, and those behind it.
static Value withRoom(Emitter &e, Value x, int64_t dim,
                      llvm::function_ref<Value(Value x, int64_t dim)> move) {
  SmallVector<int64_t> shape(Emitter::shapeOf(x));
  ArrayRef<int64_t> all(shape);
  Value moved =
      move(e.reshape(x, {llvm::product_of(all.take_front(dim)), shape[dim],
                         llvm::product_of(all.drop_front(dim + 1))}),
           1);
  if (!moved)
    return {};
  shape[dim] = Emitter::shapeOf(moved)[1];
  return e.reshape(moved, shape);
}

Value import::spreadDim(Emitter &e, Value x, int64_t dim, int64_t gap,
                        Number number) {
  int64_t size = Emitter::shapeOf(x)[dim];
  if (gap == 0 || size <= 1)
    return x;
  if (Emitter::rankOf(x) == Emitter::kMaxRank)
    return withRoom(e, x, dim, [&](Value folded, int64_t at) {
      return spreadDim(e, folded, at, gap, number);
    });
  SmallVector<int64_t> single(Emitter::shapeOf(x));
  single.insert(single.begin() + dim + 1, 1);
  Value wide = padDim(e, e.reshape(x, single), dim + 1, 0, gap, number);
  wide = e.reshape(wide, withSize(x, dim, size * (gap + 1)));
  return sliceDim(e, wide, dim, 0, 1, (size - 1) * (gap + 1) + 1);
}

Value import::replaceDim(Emitter &e, Value x, Value source, int64_t dim,
                         int64_t start, int64_t step) {
  int64_t size = Emitter::shapeOf(x)[dim],
          count = Emitter::shapeOf(source)[dim];
  if (count == 0)
    return x;
  if (Emitter::rankOf(x) == Emitter::kMaxRank && step != 1 && count != 1)
    return withRoom(e, x, dim, [&](Value folded, int64_t at) {
      SmallVector<int64_t> part(Emitter::shapeOf(folded));
      part[at] = count;
      return replaceDim(e, folded, e.reshape(source, part), at, start, step);
    });
  int64_t last = start + (count - 1) * step;
  SmallVector<Value> parts{sliceDim(e, x, dim, 0, 1, start)};
  if (step == 1 || count == 1) {
    parts.push_back(source);
  } else {
    // Rows of `step` elements, of which the first is replaced; the last is
    // alone, for its row may not be whole.
    int64_t rows = count - 1;
    SmallVector<int64_t> shape = withSize(x, dim, rows);
    shape.insert(shape.begin() + dim + 1, step);
    Value kept = e.reshape(sliceDim(e, x, dim, start, 1, rows * step), shape);
    kept = sliceDim(e, kept, dim + 1, 1, 1, step - 1);
    shape[dim + 1] = 1;
    Value put = e.reshape(sliceDim(e, source, dim, 0, 1, rows), shape);
    parts.push_back(e.reshape(e.concat({put, kept}, dim + 1),
                              withSize(x, dim, rows * step)));
    parts.push_back(sliceDim(e, source, dim, count - 1, 1, 1));
  }
  parts.push_back(sliceDim(e, x, dim, last + 1, 1, size - last - 1));
  return e.concat(parts, dim);
}

//===----------------------------------------------------------------------===//
// takeDim
//===----------------------------------------------------------------------===//

namespace {

/// Elements first, first + step, ...
struct Run {
  int64_t first, step, count;
};

/// As few runs as evenly advancing indices make, from left to right.
SmallVector<Run> runsOf(ArrayRef<int64_t> indices) {
  SmallVector<Run> runs;
  for (size_t i = 0; i < indices.size();) {
    Run run{indices[i], 1, 1};
    if (i + 1 < indices.size())
      run.step = indices[i + 1] - indices[i];
    while (i + run.count < indices.size() &&
           indices[i + run.count] == run.first + run.count * run.step)
      ++run.count;
    // A pair that begins another run belongs to that.
    if (run.count == 2 && i + 2 < indices.size() && run.step != 0 &&
        indices[i + 2] == indices[i + 1]) {
      run.count = 1;
      run.step = 1;
    }
    runs.push_back(run);
    i += run.count;
  }
  return runs;
}

/// Rows of `period` indices from `begin` on, each `advance` behind the row
/// before.
struct Periodic {
  int64_t begin = 0, period = 0, rows = 0, advance = 0;
  int64_t cost = std::numeric_limits<int64_t>::max();
  int64_t end() const { return begin + period * rows; }
};

Periodic bestPeriod(ArrayRef<int64_t> indices) {
  constexpr int64_t kMaxPeriod = 64;
  Periodic best;
  int64_t count = indices.size();
  for (int64_t period = 2; period <= std::min(kMaxPeriod, count / 2); ++period)
    for (int64_t begin = 0; begin <= period && begin + 2 * period <= count;
         ++begin) {
      Periodic found{begin, period, 1, indices[begin + period] - indices[begin],
                     0};
      auto repeats = [&](int64_t row) {
        for (int64_t i = 0; i < period; ++i) {
          int64_t at = begin + row * period + i;
          if (indices[at] != indices[at - period] + found.advance)
            return false;
        }
        return true;
      };
      while (begin + (found.rows + 1) * period <= count && repeats(found.rows))
        ++found.rows;
      if (found.rows == 1 || found.advance <= 0)
        continue;
      found.cost = runsOf(indices.take_front(begin)).size() +
                   runsOf(indices.slice(begin, period)).size() +
                   runsOf(indices.drop_front(found.end())).size();
      if (found.cost < best.cost)
        best = found;
    }
  return best;
}

class Taker {
public:
  Taker(Emitter &e, Value x, int64_t dim) : e(e), x(x), dim(dim) {}

  void addRuns(ArrayRef<int64_t> indices) {
    for (const Run &run : runsOf(indices))
      parts.push_back(take(run));
  }

  void addPeriodic(ArrayRef<int64_t> indices, const Periodic &periodic) {
    SmallVector<Value> columns;
    for (const Run &run :
         runsOf(indices.slice(periodic.begin, periodic.period)))
      columns.push_back(takeRows(run, periodic));
    Value rows = e.concat(columns, dim + 1);
    parts.push_back(
        e.reshape(rows, withSize(x, dim, periodic.rows * periodic.period)));
  }

  Value result() { return e.concat(parts, dim); }

private:
  Value take(const Run &run) {
    if (run.step != 0)
      return sliceDim(e, x, dim, run.first, run.step, run.count);
    return e.expand(sliceDim(e, x, dim, run.first, 1, 1),
                    withSize(x, dim, run.count));
  }

  /// The run in every row: [rows, count] in place of the dimension.
  Value takeRows(const Run &run, const Periodic &periodic) {
    SmallVector<int64_t> shape = withSize(x, dim, periodic.rows);
    shape.insert(shape.begin() + dim + 1, 1);
    if (run.step <= 0 && run.count > 1) {
      SmallVector<Value> columns;
      for (int64_t i = 0; i < run.count; ++i)
        columns.push_back(e.reshape(
            sliceDim(e, x, dim, run.first + (run.step == 0 ? 0 : i * run.step),
                     periodic.advance, periodic.rows),
            shape));
      if (run.step != 0)
        return e.concat(columns, dim + 1);
      shape[dim + 1] = run.count;
      return e.expand(columns[0], shape);
    }
    int64_t reach =
        (run.count - 1) * run.step + (periodic.rows - 1) * periodic.advance + 1;
    return e.window(sliceDim(e, x, dim, run.first, 1, reach), dim,
                    periodic.rows, run.count, periodic.advance, run.step);
  }

  Emitter &e;
  Value x;
  int64_t dim;
  SmallVector<Value> parts;
};

} // namespace

Value import::takeDim(Emitter &e, Value x, int64_t dim,
                      ArrayRef<int64_t> indices) {
  int64_t plain = runsOf(indices).size();
  if (Emitter::rankOf(x) == Emitter::kMaxRank && plain > 2)
    return withRoom(e, x, dim, [&](Value folded, int64_t at) {
      return takeDim(e, folded, at, indices);
    });
  Taker taker(e, x, dim);
  Periodic periodic;
  if (plain > 2)
    periodic = bestPeriod(indices);
  if (std::min(plain, periodic.cost) > kMaxPieces)
    return {};
  if (plain <= periodic.cost) {
    taker.addRuns(indices);
    return taker.result();
  }
  taker.addRuns(indices.take_front(periodic.begin));
  taker.addPeriodic(indices, periodic);
  taker.addRuns(indices.drop_front(periodic.end()));
  return taker.result();
}

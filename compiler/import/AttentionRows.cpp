//===- AttentionRows.cpp - scaled dot product attention -------------------===//
//
// Attention has no op of its own: it is two products with a softmax between
// them, as users write it out, and fusion keeps the scores on chip in either
// spelling. Scores are made, scaled, masked and normalised in float32; the
// weights are rounded to the values' type for the second product.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

class Attention {
public:
  Attention(Emitter &e, Value query, Value key, Value value)
      : e(e), query(query), key(key), value(value),
        dtype(dtypeOf(query.getType())), wide(opmath(dtype)),
        lead(Emitter::rankOf(query) - 2) {
    ArrayRef<int64_t> q = Emitter::shapeOf(query), k = Emitter::shapeOf(key);
    rows = q[lead], columns = k[lead];
    if (lead > 0 && q[lead - 1] != k[lead - 1])
      group = q[lead - 1] / k[lead - 1];
  }

  /// mask: bool (false: left out) or added to the scores; broadcasts to them.
  void setMask(Value mask) {
    masks = true;
    bool leavesOut = isBool(dtypeOf(mask.getType()));
    mask = grouped(mask);
    Value rowsOf = scaledScores();
    scores = leavesOut ? e.select(mask, rowsOf, minusInfinity())
                       : e.binary("add", rowsOf, e.cast(mask, wide));
  }

  /// Row i sees columns 0 to i.
  void setCausal() {
    auto counted = [&](int64_t count, int64_t dim) {
      Value iota =
          e.iota(DType::I64, count, e.getBuilder().getI64IntegerAttr(0),
                 e.getBuilder().getI64IntegerAttr(1));
      return e.reshape(iota, dim == 0 ? ArrayRef<int64_t>{count, 1}
                                      : ArrayRef<int64_t>{1, count});
    };
    Value seen = e.compare("ge", counted(rows, 0), counted(columns, 1));
    scores = e.select(seen, scaledScores(), minusInfinity());
  }

  void setScale(double factor) { scale = factor; }
  double defaultScale() const {
    return 1 / std::sqrt(double(Emitter::shapeOf(query)[lead + 1]));
  }

  Value result() {
    Value last = scaledScores();
    int64_t dim = Emitter::rankOf(last) - 1;
    Value weights = e.softmax(false, last, dim);
    if (masks) {
      // Rows of which nothing is seen are zero.
      Value most = e.reduce("max", last, {dim}, true, wide);
      weights = e.select(e.compare("eq", most, minusInfinity()),
                         e.constant(wide, 0.0), weights);
    }
    Value sum = e.matmul(e.cast(weights, dtype), value, lead, 1, wide);
    SmallVector<int64_t> shape(Emitter::shapeOf(query));
    shape.back() = Emitter::shapeOf(value).back();
    return e.reshape(e.cast(sum, dtype), shape);
  }

  Value logSumExp() {
    Value last = scaledScores();
    int64_t dim = Emitter::rankOf(last) - 1;
    Value most = e.reduce("max", last, {dim}, true, wide);
    Value sum = e.reduce("sum", e.unary("exp", e.binary("sub", last, most)),
                         {dim}, true, wide);
    return e.reshape(e.binary("add", most, e.unary("log", sum)),
                     Emitter::shapeOf(query).drop_back());
  }

private:
  Value minusInfinity() {
    return e.constant(wide, -std::numeric_limits<double>::infinity());
  }

  /// Queries that share a head of keys are rows of one product: their head
  /// becomes a dimension of its own beside it.
  Value grouped(Value x) {
    if (group == 1 || Emitter::rankOf(x) < 3)
      return x;
    SmallVector<int64_t> shape(Emitter::shapeOf(x));
    size_t head = shape.size() - 3;
    if (shape[head] == 1) {
      shape.insert(shape.begin() + head, 1);
    } else {
      shape[head] /= group;
      shape.insert(shape.begin() + head + 1, group);
    }
    return e.reshape(x, shape);
  }

  Value scaledScores() {
    if (scores)
      return scores;
    SmallVector<int64_t> turned =
        llvm::to_vector(llvm::seq<int64_t>(0, lead + 2));
    std::swap(turned[lead], turned[lead + 1]);
    Value products =
        e.matmul(grouped(query), e.permute(key, turned), lead, 1, wide);
    return scores = e.binary("mul", products, e.constant(wide, scale));
  }

  Emitter &e;
  Value query, key, value, scores;
  DType dtype, wide;
  int64_t lead, rows = 0, columns = 0, group = 1;
  double scale = 1;
  bool masks = false;
};

/// Which argument of an overload is what.
struct Signature {
  unsigned mask, dropout, causal, scale;
};

void attention(NodeBuilder &n, Signature at) {
  if (n.real(at.dropout) != 0)
    return n.fail("dropout inside attention is not supported; write the "
                  "attention out with torch.nn.functional.dropout");
  DType dtype = n.resultDType(0);
  Attention attention(n.e, n.operand(0, dtype), n.operand(1, dtype),
                      n.operand(2, dtype));
  attention.setScale(n.isNone(at.scale) ? attention.defaultScale()
                                        : n.real(at.scale));
  if (!n.isNone(at.mask))
    attention.setMask(n.tensor(at.mask));
  if (n.flag(at.causal))
    attention.setCausal();
  n.result(0, attention.result());
  if (n.node.results.size() > 1)
    n.result(1, n.e.cast(attention.logSumExp(), n.resultDType(1)));
}

/// (query, key, value, dropout_p, is_causal, *, attn_mask, scale)
void flashAttention(NodeBuilder &n) {
  attention(n, {/*mask=*/5, /*dropout=*/3, /*causal=*/4, /*scale=*/6});
}
/// (query, key, value, attn_mask, dropout_p, is_causal, *, scale, ...)
void plainAttention(NodeBuilder &n) {
  attention(n, {/*mask=*/3, /*dropout=*/4, /*causal=*/5, /*scale=*/6});
}

const AtenRow kRows[] = {
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flashAttention,
     "softmax"},
    {"aten.scaled_dot_product_attention.default", plainAttention, "softmax"},
};

} // namespace

ArrayRef<AtenRow> import::attentionRows() { return kRows; }

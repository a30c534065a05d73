//===- Emitter.cpp - builds neuron ops ------------------------------------===//
#include "compiler/import/Emitter.h"
#include "dialects/neuron/Float8.h"
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <limits>
#include <utility>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

RankedTensorType Emitter::type(DType dtype, ArrayRef<int64_t> shape) {
  if (shape.size() > kMaxRank)
    rankOverflow = shape.size();
  return RankedTensorType::get(shape, elementType(builder.getContext(), dtype));
}

ArrayRef<int64_t> Emitter::shapeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType()).getShape();
}

/// Of 8-bit floats: the only ops that take them as they are. (Views and others
/// that move elements are made elsewhere or keep the type by themselves.)
static bool takesFloat8(StringRef name) {
  return llvm::is_contained({"cast", "bitcast", "select", "reshape", "expand",
                             "permute", "slice", "window", "concat"},
                            name);
}

/// Tensors of 8-bit floats as float32, which is what they are computed in.
SmallVector<Value> Emitter::widened(ValueRange operands) {
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(isFloat8(dtypeOf(operand.getType()))
                       ? cast(operand, DType::F32)
                       : operand);
  return wide;
}

Value Emitter::op(StringRef name, ValueRange operands, RankedTensorType result,
                  Attributes attributes) {
  bool widens = !takesFloat8(name) && llvm::any_of(operands, [](Value operand) {
    return isFloat8(dtypeOf(operand.getType()));
  });
  DType dtype = dtypeOf(result);
  if (widens && isFloat8(dtype))
    return cast(op(name, widened(operands), type(DType::F32, result.getShape()),
                   attributes),
                dtype);
  if (widens)
    return op(name, widened(operands), result, attributes);
  OperationState state(loc, ("neuron." + name).str());
  state.addOperands(operands);
  state.addTypes(result);
  state.addAttributes(attributes);
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static double asDouble(Number value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

static int64_t asInteger(Number value) {
  if (const double *number = std::get_if<double>(&value)) {
    // Out of range is undefined in C++; PyTorch refuses such fills before they
    // come here.
    if (!(*number >= -9.2233720368547758e18 && *number < 9.2233720368547758e18))
      return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(*number);
  }
  return std::visit([](auto v) { return static_cast<int64_t>(v); }, value);
}

/// Through float32 to the short types, as c10::convert does.
static APFloat asFloat(DType dtype, Type type, Number value) {
  APFloat number(asDouble(Emitter::rounded(dtype, value)));
  const llvm::fltSemantics &semantics =
      llvm::cast<FloatType>(type).getFloatSemantics();
  if (isFloat8(dtype))
    return ir::float8Of(float(number.convertToDouble()), semantics);
  bool inexact;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &inexact);
  return number;
}

Value Emitter::constant(DType dtype, Number value, ArrayRef<int64_t> shape) {
  RankedTensorType result = type(dtype, shape);
  Attribute element;
  if (isFloating(dtype))
    element = FloatAttr::get(result.getElementType(),
                             asFloat(dtype, result.getElementType(), value));
  else if (isBool(dtype))
    element = builder.getBoolAttr(std::holds_alternative<double>(value)
                                      ? std::get<double>(value) != 0
                                      : asInteger(value) != 0);
  else
    element = IntegerAttr::get(
        result.getElementType(),
        APInt(64, asInteger(value)).sextOrTrunc(program::bytesOf(dtype) * 8));
  return ir::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(result, element));
}

Value Emitter::empty(DType dtype, ArrayRef<int64_t> shape) {
  return ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type(dtype, shape), ArrayRef<Attribute>{}));
}

Value Emitter::constantData(DType dtype, ArrayRef<int64_t> shape,
                            ArrayRef<uint8_t> bytes) {
  RankedTensorType result = type(dtype, shape);
  if (result.getNumElements() == 0)
    return empty(dtype, shape);
  DenseElementsAttr elements;
  if (isBool(dtype)) { // MLIR packs them in its own way
    SmallVector<bool> values;
    for (uint8_t byte : bytes)
      values.push_back(byte != 0);
    elements = DenseElementsAttr::get(result, ArrayRef<bool>(values));
  } else {
    elements = DenseElementsAttr::getFromRawBuffer(
        result, ArrayRef<char>(reinterpret_cast<const char *>(bytes.data()),
                               bytes.size()));
  }
  return ir::ConstantOp::create(builder, loc, elements);
}

static const llvm::fltSemantics &semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::BF16:
    return APFloat::BFloat();
  case DType::F16:
    return APFloat::IEEEhalf();
  case DType::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case DType::F8E5M2:
    return APFloat::Float8E5M2();
  case DType::F8E4M3FNUZ:
    return APFloat::Float8E4M3FNUZ();
  case DType::F8E5M2FNUZ:
    return APFloat::Float8E5M2FNUZ();
  case DType::F8E8M0FNU:
    return APFloat::Float8E8M0FNU();
  default:
    return APFloat::IEEEsingle();
  }
}

Number Emitter::rounded(DType dtype, Number value) {
  if (!isFloating(dtype) || dtype == DType::F64)
    return value;
  APFloat number(asDouble(value));
  bool inexact;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &inexact);
  if (isFloat8(dtype))
    number = ir::float8Of(number.convertToFloat(), semanticsOf(dtype));
  else
    number.convert(semanticsOf(dtype), APFloat::rmNearestTiesToEven, &inexact);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}

bool Emitter::isExact(DType dtype, Number value) {
  double wide = std::get<double>(rounded(DType::F32, value)),
         narrow = std::get<double>(rounded(dtype, value));
  return wide == narrow || (wide != wide && narrow != narrow);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// PyTorch's broadcast of shapes that are known to fit.
static SmallVector<int64_t> broadcast(ValueRange values) {
  SmallVector<int64_t> shape;
  for (Value value : values) {
    ArrayRef<int64_t> other = Emitter::shapeOf(value);
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &size = shape[shape.size() - other.size() + i];
      if (size == 1)
        size = other[i];
    }
  }
  return shape;
}

Value Emitter::cast(Value value, DType dtype) {
  DType from = dtypeOf(value.getType());
  if (from == dtype)
    return value;
  // 8-bit floats convert to and from float32 only, as c10's do.
  if (from != DType::F32 && dtype != DType::F32 &&
      (isFloat8(from) || isFloat8(dtype)))
    return cast(cast(value, DType::F32), dtype);
  if (isBool(dtype))
    return compare("ne", value, constant(from, int64_t(0)));
  return op("cast", value, type(dtype, shapeOf(value)));
}

Value Emitter::bitcast(Value value, DType dtype) {
  return op("bitcast", value, type(dtype, shapeOf(value)));
}

Value Emitter::unary(StringRef name, Value input) {
  return op(name, input, llvm::cast<RankedTensorType>(input.getType()));
}

Value Emitter::test(StringRef name, Value input) {
  return op(name, input, type(DType::Bool, shapeOf(input)));
}

Value Emitter::binary(StringRef name, Value lhs, Value rhs) {
  return op(name, {lhs, rhs},
            type(dtypeOf(lhs.getType()), broadcast({lhs, rhs})));
}

Value Emitter::compare(StringRef name, Value lhs, Value rhs) {
  return op(name, {lhs, rhs}, type(DType::Bool, broadcast({lhs, rhs})));
}

Value Emitter::select(Value condition, Value onTrue, Value onFalse) {
  return op(
      "select", {condition, onTrue, onFalse},
      type(dtypeOf(onTrue.getType()), broadcast({condition, onTrue, onFalse})));
}

//===----------------------------------------------------------------------===//
// Reductions and composites
//===----------------------------------------------------------------------===//

Value Emitter::reduce(StringRef name, Value input, ArrayRef<int64_t> dims,
                      bool keepdim, DType result, Attributes extra) {
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(shapeOf(input))) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(index)))
      shape.push_back(size);
    else if (keepdim)
      shape.push_back(1);
  }
  SmallVector<NamedAttribute> attributes = {
      attr("dims", builder.getDenseI64ArrayAttr(dims))};
  if (keepdim)
    attributes.push_back(attr("keepdim", builder.getUnitAttr()));
  attributes.append(extra.begin(), extra.end());
  return op(name, input, type(result, shape), attributes);
}

Value Emitter::iota(DType dtype, int64_t count, TypedAttr start,
                    TypedAttr step) {
  // What counts one element is its first number, and folds like one.
  RankedTensorType result = type(dtype, count);
  if (count == 1 && start.getType() == result.getElementType())
    return ir::ConstantOp::create(builder, loc,
                                  DenseElementsAttr::get(result, start));
  return op("iota", {}, result,
            {attr("dim", builder.getI64IntegerAttr(0)), attr("start", start),
             attr("step", step)});
}

Value Emitter::softmax(bool logarithm, Value input, int64_t dim) {
  return op(logarithm ? "log_softmax" : "softmax", input,
            llvm::cast<RankedTensorType>(input.getType()),
            {attr("dims", builder.getDenseI64ArrayAttr(dim))});
}

Value Emitter::layerNorm(Value input, Value weight, Value bias,
                         ArrayRef<int64_t> dims, double eps) {
  return ir::LayerNormOp::create(builder, loc, input.getType(), input, weight,
                                 bias, dims, APFloat(eps));
}

Value Emitter::rmsNorm(Value input, Value weight, ArrayRef<int64_t> dims,
                       double eps) {
  return ir::RmsNormOp::create(builder, loc, input.getType(), input, weight,
                               dims, APFloat(eps));
}

Value Emitter::matmul(Value lhs, Value rhs, int64_t batch, int64_t contract,
                      DType result) {
  // bfloat16 has every number that an 8-bit float has.
  for (Value *operand : {&lhs, &rhs})
    if (isFloat8(dtypeOf(operand->getType())))
      *operand = cast(*operand, DType::BF16);
  SmallVector<int64_t> shape(shapeOf(lhs).drop_back(contract));
  llvm::append_range(shape, shapeOf(rhs).drop_front(batch + contract));
  return ir::MatmulOp::create(builder, loc, type(result, shape), lhs, rhs,
                              batch, contract);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

Value Emitter::dimFirst(Value input, int64_t dim) {
  SmallVector<int64_t> order{dim}, sizes(shapeOf(input));
  for (int64_t i = 0; i < rankOf(input); ++i)
    if (i != dim)
      order.push_back(i);
  Value moved = permute(input, order);
  sizes.insert(sizes.begin(), std::exchange(sizes[dim], 1));
  return reshape(moved, sizes);
}
Value Emitter::gather(Value input, Value index, ArrayRef<int64_t> shape) {
  return ir::GatherOp::create(
      builder, loc, type(dtypeOf(input.getType()), shape), input, index);
}
Value Emitter::scan(StringRef kind, Value input, int64_t dim) {
  if (DType dtype = dtypeOf(input.getType()); isFloat8(dtype))
    return cast(scan(kind, cast(input, DType::F32), dim), dtype);
  return ir::ScanOp::create(builder, loc, input.getType(), input, dim, kind);
}
Value Emitter::sort(Value input, int64_t dim, bool descending) {
  if (DType dtype = dtypeOf(input.getType()); isFloat8(dtype))
    return cast(sort(cast(input, DType::F32), dim, descending), dtype);
  return ir::SortOp::create(builder, loc, input.getType(), input, dim,
                            descending);
}
Value Emitter::argsort(Value input, int64_t dim, bool descending) {
  input = widened(input).front();
  return ir::ArgsortOp::create(builder, loc, type(DType::I64, shapeOf(input)),
                               input, dim, descending);
}
Value Emitter::random(Value key, DType dtype, ArrayRef<int64_t> shape) {
  return ir::RandomOp::create(builder, loc, type(dtype, shape), key);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value Emitter::reshape(Value input, ArrayRef<int64_t> shape) {
  if (shapeOf(input) == shape)
    return input;
  return op("reshape", input, type(dtypeOf(input.getType()), shape));
}

Value Emitter::expand(Value input, ArrayRef<int64_t> shape) {
  if (shapeOf(input) == shape)
    return input;
  return op("expand", input, type(dtypeOf(input.getType()), shape));
}

Value Emitter::permute(Value input, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  bool identity = true;
  for (auto [index, from] : llvm::enumerate(permutation)) {
    shape.push_back(shapeOf(input)[from]);
    identity &= static_cast<int64_t>(index) == from;
  }
  if (identity)
    return input;
  return op("permute", input, type(dtypeOf(input.getType()), shape),
            attr("permutation", builder.getDenseI64ArrayAttr(permutation)));
}

Value Emitter::slice(Value input, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> steps, ArrayRef<int64_t> sizes) {
  if (shapeOf(input) == sizes &&
      llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return input;
  return op("slice", input, type(dtypeOf(input.getType()), sizes),
            {attr("starts", builder.getDenseI64ArrayAttr(starts)),
             attr("steps", builder.getDenseI64ArrayAttr(steps))});
}

Value Emitter::window(Value input, int64_t dim, int64_t count, int64_t size,
                      int64_t step, int64_t dilation) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape[dim] = count;
  shape.insert(shape.begin() + dim + 1, size);
  return op("window", input, type(dtypeOf(input.getType()), shape),
            {attr("dim", builder.getI64IntegerAttr(dim)),
             attr("step", builder.getI64IntegerAttr(step)),
             attr("dilation", builder.getI64IntegerAttr(dilation))});
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value Emitter::concat(ValueRange inputs, int64_t dim) {
  SmallVector<Value> parts;
  for (Value input : inputs)
    if (shapeOf(input)[dim] != 0)
      parts.push_back(input);
  if (parts.empty())
    return inputs.front();
  if (parts.size() == 1)
    return parts[0];
  SmallVector<int64_t> shape(shapeOf(parts[0]));
  shape[dim] = 0;
  for (Value part : parts)
    shape[dim] += shapeOf(part)[dim];
  return op("concat", parts, type(dtypeOf(parts[0].getType()), shape),
            attr("dim", builder.getI64IntegerAttr(dim)));
}

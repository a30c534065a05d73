//===- NisaDialect.cpp - registration and types ---------------------------===//
#include "dialects/nisa/Nisa.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::nisa;

#include "dialects/nisa/NisaDialect.cpp.inc"
#include "dialects/nisa/NisaEnums.cpp.inc"
#include "dialects/nisa/NisaInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nisa/NisaAttrs.cpp.inc"

void NisaDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/nisa/NisaOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nisa/NisaAttrs.cpp.inc"
      >();
}

int64_t nisa::freeElements(Value tile) {
  int64_t elements = 1;
  for (int64_t size : cast<MemRefType>(tile.getType()).getShape().drop_front())
    elements *= size;
  return elements;
}

nisa::TileView nisa::viewOf(Value tile) {
  if (auto alloc = tile.getDefiningOp<AllocOp>())
    return {alloc, 0};
  if (auto subtile = tile.getDefiningOp<SubtileOp>())
    return {subtile.getTile().getDefiningOp<AllocOp>(),
            int64_t(subtile.getBegin())};
  return {};
}

bool nisa::isIn(Value value, MemorySpace space) {
  auto type = dyn_cast<MemRefType>(value.getType());
  auto attr = type ? dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace())
                   : MemorySpaceAttr();
  return attr && attr.getValue() == space;
}

std::optional<int64_t> nisa::addressOf(Value tile) {
  auto [alloc, begin] = viewOf(tile);
  if (!alloc || !alloc.getOffset())
    return std::nullopt;
  Type element = cast<MemRefType>(tile.getType()).getElementType();
  int64_t base = isIn(tile, MemorySpace::PSUM) ? program::kPsumBase : 0;
  return base + int64_t(*alloc.getOffset()) +
         begin * program::bytesOf(*dtypeOf(element));
}

void SubtileOp::build(OpBuilder &builder, OperationState &state, Value tile,
                      int64_t begin, int64_t size) {
  auto type = cast<MemRefType>(tile.getType());
  build(builder, state,
        MemRefType::get({type.getDimSize(0), size}, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        tile, builder.getI64IntegerAttr(begin),
        builder.getI64IntegerAttr(size));
}

MemRefType nisa::memrefType(ArrayRef<int64_t> shape, Type element,
                            MemorySpace space) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         MemorySpaceAttr::get(element.getContext(), space));
}

std::optional<program::DType> nisa::dtypeOf(Type type) {
  using program::DType;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return DType::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return DType::F8E5M2FNUZ;
  if (isa<Float8E8M0FNUType>(type))
    return DType::F8E8M0FNU;
  bool isUnsigned = type.isUnsignedInteger();
  if (!type.isSignlessInteger() && !isUnsigned)
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

Type nisa::typeOf(program::DType dtype, MLIRContext *context) {
  using program::DType;
  Builder b(context);
  switch (dtype) {
  case DType::Bool:
    return b.getI1Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  case DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(context);
  case DType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  default:
    return IntegerType::get(context, 8 * program::bytesOf(dtype),
                            program::info(dtype).isSigned
                                ? IntegerType::Signless
                                : IntegerType::Unsigned);
  }
}

#define GET_OP_CLASSES
#include "dialects/nisa/NisaOps.cpp.inc"

//===- ConstantBytes.cpp --------------------------------------------------===//
#include "compiler/pipeline/ConstantBytes.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace neuron;

FailureOr<std::vector<uint8_t>> pipeline::bytesOf(ElementsAttr elements) {
  auto dtype = nisa::dtypeOf(elements.getElementType());
  if (!dtype)
    return failure();
  size_t width = program::bytesOf(*dtype);
  size_t count = elements.getNumElements();
  std::vector<uint8_t> bytes(count * width);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    ArrayRef<char> data = resource.getData();
    if (data.size() != bytes.size())
      return failure();
    std::copy(data.begin(), data.end(), bytes.begin());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return failure();
  size_t at = 0;
  auto put = [&](const APInt &value) {
    uint64_t bits = value.getZExtValue();
    for (size_t i = 0; i < width; ++i)
      bytes[at++] = uint8_t(bits >> (8 * i));
  };
  if (isa<FloatType>(elements.getElementType()))
    for (APFloat value : dense.getValues<APFloat>())
      put(value.bitcastToAPInt());
  else
    for (APInt value : dense.getValues<APInt>())
      put(value);
  return bytes;
}

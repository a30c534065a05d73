//===- Signature.cpp - what a compiled operation depends on ---------------===//
#include "runtime/device/eager/Signature.h"
#include "runtime/device/Transfer.h"
#include <bit>
#include <cstring>

using namespace neuron;
using namespace neuron::device;

namespace {

enum Tag : uint64_t {
  kNone = 1,
  kBool,
  kInt,
  kDouble,
  kString,
  kTensor,
  kUndefined,
  kList,
  kDevice,
  kGenerator,
  kComplex,
};

class Writer {
public:
  Signature signature;

  void put(uint64_t word) { signature.words.push_back(word); }

  void tensor(const at::Tensor &tensor) {
    if (!tensor.defined())
      return put(kUndefined);
    // Which of the tensors before it is the same memory.
    uint64_t twin = 0;
    while (twin < tensors.size() && !isSameView(*tensors[twin], tensor))
      ++twin;
    tensors.push_back(&tensor);
    c10::Device device = tensor.device();
    put(kTensor | uint64_t(tensor.scalar_type()) << 8 |
        uint64_t(tensor.dim()) << 16 | uint64_t(device.type()) << 24 |
        uint64_t(uint8_t(device.index())) << 32 |
        uint64_t(tensor.is_conj()) << 40 | uint64_t(tensor.is_neg()) << 41 |
        uint64_t(tensor.unsafeGetTensorImpl()->is_wrapped_number()) << 42 |
        twin << 48);
    for (int64_t size : tensor.sizes())
      put(size);
    for (int64_t stride : tensor.strides())
      put(stride);
  }

  bool value(const c10::IValue &value) {
    if (value.isTensor())
      tensor(value.toTensor());
    else if (value.isNone())
      put(kNone);
    else if (value.isBool())
      put(kBool), put(value.toBool());
    else if (value.isInt())
      put(kInt), put(value.toInt());
    else if (value.isDouble())
      put(kDouble), put(std::bit_cast<uint64_t>(value.toDouble()));
    else if (value.isSymInt() && value.toSymInt().maybe_as_int())
      put(kInt), put(*value.toSymInt().maybe_as_int());
    else if (value.isComplexDouble()) {
      c10::complex<double> number = value.toComplexDouble();
      put(kComplex), put(std::bit_cast<uint64_t>(number.real()));
      put(std::bit_cast<uint64_t>(number.imag()));
    } else if (value.isDevice())
      put(kDevice), put(uint64_t(value.toDevice().type()) << 8 |
                        uint8_t(value.toDevice().index()));
    else if (value.isGenerator())
      put(kGenerator);
    else if (value.isString())
      string(value.toStringRef());
    else if (value.isList()) {
      const c10::ArrayRef<c10::IValue> list = value.toListRef();
      put(kList), put(list.size());
      for (const c10::IValue &item : list)
        if (!this->value(item))
          return false;
    } else
      return false;
    return true;
  }

private:
  c10::SmallVector<const at::Tensor *, 6> tensors;

  void string(const std::string &text) {
    put(kString), put(text.size());
    for (size_t i = 0; i < text.size(); i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
      put(word);
    }
  }
};

} // namespace

bool device::isSameView(const at::Tensor &a, const at::Tensor &b) {
  if (a.is_same(b))
    return true;
  return a.defined() && b.defined() && a.numel() != 0 &&
         a.scalar_type() == b.scalar_type() && a.device() == b.device() &&
         a.const_data_ptr() == b.const_data_ptr() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && a.is_conj() == b.is_conj() &&
         a.is_neg() == b.is_neg() &&
         a.unsafeGetTensorImpl()->is_wrapped_number() ==
             b.unsafeGetTensorImpl()->is_wrapped_number();
}

std::optional<Signature>
device::signatureOf(const void *op, c10::ArrayRef<c10::IValue> arguments) {
  Writer writer;
  writer.put(reinterpret_cast<uint64_t>(op));
  for (const c10::IValue &argument : arguments)
    if (!writer.value(argument))
      return std::nullopt;
  return std::move(writer.signature);
}

void device::forEachTensor(c10::ArrayRef<c10::IValue> arguments,
                           c10::function_ref<void(const at::Tensor &)> visit) {
  for (const c10::IValue &argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined())
      visit(argument.toTensor());
    else if (argument.isList())
      forEachTensor(argument.toListRef(), visit);
  }
}

bool device::overlapsOtherwise(const at::Tensor &a, const at::Tensor &b) {
  if (!a.defined() || !b.defined() || a.numel() == 0 || b.numel() == 0 ||
      !a.is_alias_of(b) || isSameView(a, b))
    return false;
  const auto *first = static_cast<const uint8_t *>(a.const_data_ptr());
  const auto *second = static_cast<const uint8_t *>(b.const_data_ptr());
  return first < second + spanBytes(b) && second < first + spanBytes(a);
}

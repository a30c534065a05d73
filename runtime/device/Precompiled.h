//===- Precompiled.h - LibTorch's headers, compiled once --------*- C++ -*-===//
#pragma once
#include <ATen/core/TensorBody.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

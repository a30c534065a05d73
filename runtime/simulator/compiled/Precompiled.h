//===- Precompiled.h - LLVM's headers, compiled once ------------*- C++ -*-===//
#pragma once
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

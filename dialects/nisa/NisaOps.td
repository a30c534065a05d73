//===- NisaOps.td - instructions and structure ---------------*- tablegen -*-===//
#ifndef NISA_OPS_TD
#define NISA_OPS_TD

include "dialects/nisa/NisaDialect.td"
include "dialects/nisa/NisaInterfaces.td"

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

class Nisa_Op<string mnemonic, list<Trait> traits = []> : Op<Nisa_Dialect, mnemonic, traits>;

def Nisa_KernelOp : Nisa_Op<"kernel", [SingleBlock, NoTerminator]> {
  let summary = "one kernel; ends as if by a barrier";
  let arguments = (ins StrAttr:$sym);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym $body attr-dict";
}

// Rule (Verifiers.cpp): S9 each variable is replaced once. That the kernel comes
// before it is checked where the program is emitted (X4).
def Nisa_RepeatOp : Nisa_Op<"repeat", [SameVariadicOperandSize,
    RangedTypesMatchWith<"a variable is replaced by one of its type", "from", "to", "$_self">]> {
  let summary = "an earlier kernel again, on other HBM variables";
  let description = [{
    The kernel `sym` does what `kernel` does, with each variable of `to` in the
    place of that of `from`. Its location is the list of what stands in the place
    of the locations of the kernel, in the order in which that one's lists them.

    ```mlir
    nisa.repeat "rms_norm_1" of "rms_norm" from (%x, %y) to (%y, %z) : memref<4x8xf32>, memref<4x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$sym, StrAttr:$kernel, Variadic<AnyMemRef>:$from,
                       Variadic<AnyMemRef>:$to);
  let assemblyFormat = [{
    $sym `of` $kernel `from` `(` $from `)` `to` `(` $to `)` attr-dict (`:` type($from)^)?
  }];
  let hasVerifier = 1;
}

def Nisa_LoopOp : Nisa_Op<"loop", [SingleBlock, NoTerminator]> {
  let summary = "repeats its body `count` times; the counter runs from 0";
  let arguments = (ins I64Attr:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count $body attr-dict";
  let hasVerifier = 1;
}

def Nisa_BarrierOp : Nisa_Op<"barrier"> {
  let summary = "every unit waits for all that came before on every unit";
  let assemblyFormat = "attr-dict";
}

def Nisa_AllocOp : Nisa_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile of SBUF or PSUM";
  let description = [{
    `offset` is the byte in each partition of its memory, set by placement; in
    PSUM a tile starts on a bank. A tile of several
    `buffers` uses them in turn, by the counter of the innermost loop around the
    instruction; they lie `pitch` bytes apart.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
                       DefaultValuedAttr<I64Attr, "1">:$buffers,
                       OptionalAttr<I64Attr>:$pitch);
  let results = (outs AnyMemRef:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

// Rules (Verifiers.cpp): S6 of a whole tile; S7 inside it; S8 the type of the view.
def Nisa_SubtileOp : Nisa_Op<"subtile", [Pure]> {
  let summary = "some neighbouring elements of a tile, in all its partitions";
  let description = [{
    A view of `size` free elements from element `begin` on. Instructions read and
    write it like a tile; those that touch different elements of a tile do not
    wait for each other.

    ```mlir
    %left = nisa.subtile %t [0, 128] : memref<128x512xf32, #nisa.mem<psum>> -> memref<128x128xf32, #nisa.mem<psum>>
    ```
  }];
  let arguments = (ins AnyMemRef:$tile, I64Attr:$begin, I64Attr:$size);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$tile `[` $begin `,` $size `]` attr-dict `:` type($tile) `->` type($view)";
  let builders = [OpBuilder<(ins "::mlir::Value":$tile, "int64_t":$begin, "int64_t":$size)>];
  let hasVerifier = 1;
}

def Nisa_ConstantOp : Nisa_Op<"constant", [Pure]> {
  let summary = "an HBM variable whose elements are in the NEFF";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyMemRef:$hbm);
  let assemblyFormat = "$value attr-dict `:` type($hbm)";
}

def Nisa_ScratchOp : Nisa_Op<"scratch", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an HBM variable between kernels";
  let results = (outs AnyMemRef:$hbm);
  let assemblyFormat = "attr-dict `:` type($hbm)";
}

def Nisa_ImmediateOp : Nisa_Op<"immediate", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a number in an instruction";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict";
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

// Rules of every instruction (Verifiers.cpp): I1 legal engine; I2 parts in 1..128
// and not beyond any tile; I3 tiles live in SBUF or PSUM; I4 legal functions; I5
// operand count and element types of the opcode; I6 free sizes agree or are 1; that of
// an operand that is read once a partition (a scalar, an initial value) is 1.
// Of PSUM and the Tensor engine (TensorVerifiers.cpp): I7 who reaches PSUM; I8 at
// most one streamed source in PSUM; I9 sizes; I10 element types; I11 within a bank.
class Nisa_Instruction<string mnemonic, string opcode, string what, dag extra = (ins)>
    : Nisa_Op<mnemonic, [DeclareOpInterfaceMethods<InstructionOpInterface>, AttrSizedOperandSegments]> {
  let summary = what;
  let arguments = !con((ins Variadic<AnyType>:$srcs, Variadic<AnyMemRef>:$outs,
                            Nisa_EngineAttr:$engine, I64Attr:$parts,
                            OptionalAttr<StrArrayAttr>:$fn,
                            OptionalAttr<ArrayAttr>:$wait, UnitAttr:$signal), extra);
  let assemblyFormat = [{
    (`fn` $fn^)? `ins` `(` ($srcs^ `:` type($srcs))? `)` `outs` `(` ($outs^ `:` type($outs))? `)` attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDefinition = "::neuron::program::Opcode $cppClass::getOpcode() { return ::neuron::program::Opcode::"
    # opcode # [{; }
    ::llvm::LogicalResult $cppClass::verify() { return ::neuron::nisa::verifyInstruction(getOperation()); }
  }];
}

defvar HbmWindow = (ins AnyMemRef:$hbm, I64Attr:$queue, I64Attr:$hbm_offset,
  DenseI64ArrayAttr:$row_sizes, DenseI64ArrayAttr:$row_strides,
  DenseI64ArrayAttr:$col_sizes, DenseI64ArrayAttr:$col_strides,
  DenseI64ArrayAttr:$row, DenseI64ArrayAttr:$column);

class Nisa_Dma<string mnemonic, string opcode, string what, string operands, dag extra = (ins)>
    : Nisa_Op<mnemonic, [DeclareOpInterfaceMethods<InstructionOpInterface>, AttrSizedOperandSegments]> {
  let summary = what;
  let description = [{
    The HBM window is a matrix: row r is split over `row_sizes` (outermost first),
    column c over `col_sizes`; the element lies at `hbm_offset` plus index times
    stride, in elements. Moved are rows [row, row+parts) and the columns
    [column, column+N); `row` and `column` are `[base, coefficient of the outermost
    loop, ...]`.
  }];
  let arguments = !con((ins Variadic<AnyType>:$srcs, Variadic<AnyMemRef>:$outs,
                            Nisa_EngineAttr:$engine, I64Attr:$parts,
                            OptionalAttr<StrArrayAttr>:$fn,
                            OptionalAttr<ArrayAttr>:$wait, UnitAttr:$signal), HbmWindow, extra);
  let assemblyFormat = operands;
  let hasVerifier = 1;
  let extraClassDefinition = "::neuron::program::Opcode $cppClass::getOpcode() { return ::neuron::program::Opcode::"
    # opcode # [{; }
    ::llvm::LogicalResult $cppClass::verify() { return ::neuron::nisa::verifyInstruction(getOperation()); }
  }];
}

def Nisa_DmaLoadOp : Nisa_Dma<"dma_load", "DmaLoad", "HBM window to tile",
  "`ins` `(` $hbm `:` type($hbm) `)` `outs` `(` $outs `:` type($outs) `)` ($srcs^ `:` type($srcs))? attr-dict">;
def Nisa_DmaStoreOp : Nisa_Dma<"dma_store", "DmaStore", "tile to HBM window",
  "`ins` `(` $srcs `:` type($srcs) `)` `outs` `(` $hbm `:` type($hbm) `)` ($outs^ `:` type($outs))? attr-dict">;

defvar HbmIndex = (ins I64Attr:$index_stride, I64Attr:$index_bound);

def Nisa_DmaGatherOp : Nisa_Dma<"dma_gather", "DmaGather",
  "HBM window to tile; each element, or row, lies its index (src0) times index_stride further on",
  "`ins` `(` $hbm `:` type($hbm) `)` `index` `(` $srcs `:` type($srcs) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict",
  HbmIndex>;
def Nisa_DmaScatterOp : Nisa_Dma<"dma_scatter", "DmaScatter",
  "tile (src0) to HBM window, by the index (src1), one after the other; with accumulate combined with what is there",
  "`ins` `(` $srcs `:` type($srcs) `)` `outs` `(` $hbm `:` type($hbm) `)` ($outs^ `:` type($outs))? attr-dict",
  !con(HbmIndex, (ins OptionalAttr<TypeAttr>:$compute, OptionalAttr<StrAttr>:$reduce, UnitAttr:$accumulate))>;

def Nisa_MemsetOp : Nisa_Instruction<"memset", "Memset", "out <- immediate">;
def Nisa_TensorCopyOp : Nisa_Instruction<"tensor_copy", "TensorCopy",
  "out <- src, converted as hardware does: by fp32, to nearest even, saturating to integers; with `bits` unconverted",
  (ins UnitAttr:$bits)>;
def Nisa_TensorTensorOp : Nisa_Instruction<"tensor_tensor", "TensorTensor", "out <- fn0(src0, src1), fp32 inside">;
def Nisa_TensorScalarOp : Nisa_Instruction<"tensor_scalar", "TensorScalar",
  "out <- fn1(fn0(src0, scalar), scalar), fp32 inside", (ins DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$reverse)>;
def Nisa_ScalarTensorTensorOp : Nisa_Instruction<"scalar_tensor_tensor", "ScalarTensorTensor",
  "out <- fn1(fn0(src0, scalar), src2), fp32 inside", (ins DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$reverse)>;
def Nisa_TensorReduceOp : Nisa_Instruction<"tensor_reduce", "TensorReduce",
  "out[P,1] <- fn0 over the free dimension, fp32 inside", (ins UnitAttr:$accumulate)>;
def Nisa_ActivationOp : Nisa_Instruction<"activation", "Activation",
  "out <- fn0(src0 * scale + bias); with has_acc the last out[P,1] <- sum of the results",
  (ins UnitAttr:$accumulate, UnitAttr:$has_acc)>;
def Nisa_ReciprocalOp : Nisa_Instruction<"reciprocal", "Reciprocal", "out <- 1 / src">;
def Nisa_SelectOp : Nisa_Instruction<"select", "Select", "out <- src0 ? src1 : src2">;
def Nisa_IotaOp : Nisa_Instruction<"iota", "Iota", "out[p][i] <- index + row_step*p + step*i",
  (ins DenseI64ArrayAttr:$index, I64Attr:$row_step, I64Attr:$step)>;
def Nisa_GpsimdElementwiseOp : Nisa_Instruction<"gpsimd_elementwise", "GpsimdElementwise",
  "out <- fn0(srcs) in the compute type, PyTorch's conversions", (ins TypeAttr:$compute)>;
def Nisa_GpsimdReduceOp : Nisa_Instruction<"gpsimd_reduce", "GpsimdReduce",
  "out[P,1] <- reduction of src in the compute type; arg-reductions also keep the value in a second out",
  (ins TypeAttr:$compute, StrAttr:$reduce, UnitAttr:$accumulate, OptionalAttr<DenseI64ArrayAttr>:$index)>;

def Nisa_MatmulOp : Nisa_Instruction<"matmul", "Matmul",
  "out[MxN] <- src0[KxM]^T . src1[KxN], summed in fp32 in the order of K; accumulate: added to out",
  (ins UnitAttr:$accumulate)> {
  let description = [{
    src0 is the stationary and src1 the moving operand, both in SBUF; `parts` is
    K. out is f32 in a bank of PSUM. Accumulation is defined onto what a matmul
    wrote.
  }];
}
def Nisa_TransposeOp : Nisa_Instruction<"transpose", "Transpose",
  "out[FxP] <- src[PxF]^T, bit-exact, from SBUF to a bank of PSUM; parts is P">;
def Nisa_GpsimdScanOp : Nisa_Instruction<"gpsimd_scan", "GpsimdScan",
  "out[i] <- reduction of src[0..i] in the compute type; the second out keeps the last, and with accumulate the first",
  (ins TypeAttr:$compute, StrAttr:$reduce, UnitAttr:$accumulate)>;
def Nisa_GpsimdSortOp : Nisa_Instruction<"gpsimd_sort", "GpsimdSort",
  "out <- src in order, stably; with has_acc the last out <- where the elements stood",
  (ins UnitAttr:$descending, UnitAttr:$has_acc)>;
def Nisa_GpsimdRandomOp : Nisa_Instruction<"gpsimd_random", "GpsimdRandom",
  "out[p][i] <- Philox of the key src and the counter index + row_step*p + step*i",
  (ins DenseI64ArrayAttr:$index, I64Attr:$row_step, I64Attr:$step)>;

def Nisa_TensorTensorScanOp : Nisa_Instruction<"tensor_tensor_scan", "TensorTensorScan",
  "out[i] <- r(i) = fn1(fn0(src0[i], r(i-1)), src1[i]), from left to right, fp32 inside",
  (ins DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$reverse)> {
  let description = [{
    r(-1) is src2, an immediate or one element. r(i) stays in fp32 from step to
    step, and is converted to the type of out where it is stored. `reverse`
    swaps the operands of fn0 and of fn1. out may be src0 or src1.

    ```mlir
    // A cumulative product-and-sum: r(i) = a[i] * r(i-1) + b[i], from 0 on.
    %zero = nisa.immediate 0.0 : f32
    nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %b, %zero : memref<128x512xbf16, #nisa.mem<sbuf>>, memref<128x512xbf16, #nisa.mem<sbuf>>, f32) outs(%y : memref<128x512xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    ```
  }];
}

#endif // NISA_OPS_TD

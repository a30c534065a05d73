//===- ElementwiseOps.td - pointwise operations --------------*- tablegen -*-===//
#ifndef NEURON_ELEMENTWISE_OPS_TD
#define NEURON_ELEMENTWISE_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

// How the generated documentation groups the operations.
def Neuron_ArithmeticGroup : OpDocGroup {
  let summary = "Arithmetic";
  let description = "Elementwise. Integers wrap at their own width; ties, NaN and signed zeros are PyTorch's.";
}
def Neuron_FunctionGroup : OpDocGroup {
  let summary = "Functions";
  let description = "Elementwise functions of floats, within a bound of error that Functions.def states.";
}
def Neuron_LogicGroup : OpDocGroup {
  let summary = "Comparison and logic";
  let description = "Elementwise, with a bool result: whatever is not zero is true, NaN included.";
}
def Neuron_BitwiseGroup : OpDocGroup {
  let summary = "Bits";
  let description = "Elementwise on the two's complement bits of integers, or on bools.";
}
def Neuron_SelectionGroup : OpDocGroup {
  let summary = "Selection and conversion";
  let description = "Elementwise; no arithmetic is done.";
}

// `fn` is the row of runtime/program/Functions.def that the op computes.
class Neuron_ElementwiseOp<string mnemonic, string fn, list<Trait> traits = []>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ElementwiseOpInterface>] # traits> {
  let opDocGroup = Neuron_ArithmeticGroup;
  let hasFolder = 1;
  // Folding and verification depend on the function alone: Folders.h and Verifiers.h have them once for all.
  code verifier = "";
  let extraClassDefinition = "::neuron::program::Fn $cppClass::getFn() { return ::neuron::program::Fn::" # fn # [{; }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::neuron::ir::foldElementwise(getOperation(), adaptor.getOperands());
    }
  }] # verifier;
}

defvar BroadcastVerifier = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::neuron::ir::verifyBroadcast(getOperation()); }
}];

// The result has the operand's type (rule E3, by the trait).
class Neuron_UnaryOp<string mnemonic, Type type, string what, string more = "", list<Trait> traits = []>
    : Neuron_ElementwiseOp<mnemonic, mnemonic, [SameOperandsAndResultType] # traits> {
  let summary = what;
  let description = [{
    The result has the operand's type (E3). }] # more # [{

    ```mlir
    %1 = neuron.}] # mnemonic # [{ %0 : tensor<4x512x}] # !if(!eq(type, Neuron_FloatTensor), "f32", "i32") # [{>
    ```
  }];
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

// Operands and result have one element type; the result has the broadcast shape (rule E1, E2).
class Neuron_BinaryOp<string mnemonic, Type type, string what, list<Trait> traits = [], string more = "">
    : Neuron_ElementwiseOp<mnemonic, mnemonic, traits> {
  let summary = what;
  defvar element = !if(!eq(type, Neuron_FloatTensor), "f32", "i32");
  let description = [{
    Operands and result have one element type (E1); the result has the broadcast shape (E2). }] # more # [{

    ```mlir
    %2 = neuron.}] # mnemonic # [{ %0, %1 : (tensor<4x512x}] # element # [{>, tensor<512x}] # element
                  # [{>) -> tensor<4x512x}] # element # [{>
    ```
  }];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let verifier = BroadcastVerifier;
}

// As a binary op, with a bool result.
class Neuron_CompareOp<string mnemonic, Type type, string what, list<Trait> traits = []>
    : Neuron_ElementwiseOp<mnemonic, mnemonic, traits> {
  let summary = what;
  let opDocGroup = Neuron_LogicGroup;
  let description = [{
    The operands have one element type (E1); the result is bool and has the broadcast shape (E2).

    ```mlir
    %2 = neuron.}] # mnemonic # [{ %0, %1 : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xi1>
    ```
  }];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs Neuron_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let verifier = BroadcastVerifier;
}

class Neuron_TestOp<string mnemonic, Type type, string what>
    : Neuron_ElementwiseOp<mnemonic, mnemonic, [SameOperandsAndResultShape]> {
  let summary = what;
  let opDocGroup = Neuron_LogicGroup;
  let description = [{
    The result is bool and has the operand's shape (E3).

    ```mlir
    %1 = neuron.}] # mnemonic # [{ %0 : (tensor<4x512xf32>) -> tensor<4x512xi1>
    ```
  }];
  let arguments = (ins type:$input);
  let results = (outs Neuron_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// Arithmetic
def Neuron_AddOp : Neuron_BinaryOp<"add", Neuron_NumberTensor, "`lhs + rhs`; integers wrap", [Commutative]>;
def Neuron_SubOp : Neuron_BinaryOp<"sub", Neuron_NumberTensor, "`lhs - rhs`; integers wrap">;
def Neuron_MulOp : Neuron_BinaryOp<"mul", Neuron_NumberTensor, "`lhs * rhs`; integers wrap", [Commutative]>;
def Neuron_DivOp : Neuron_BinaryOp<"div", Neuron_FloatTensor, "`lhs / rhs`">;
def Neuron_FloorDivOp : Neuron_BinaryOp<"floor_div", Neuron_NumberTensor, "quotient rounded toward minus infinity", [],
    "An integer division by zero is an error at run time, as in PyTorch.">;
def Neuron_TruncDivOp : Neuron_BinaryOp<"trunc_div", Neuron_NumberTensor, "quotient rounded toward zero", [],
    "An integer division by zero is an error at run time, as in PyTorch.">;
def Neuron_RemainderOp : Neuron_BinaryOp<"remainder", Neuron_NumberTensor, "modulus with the sign of the divisor", [],
    "An integer modulus by zero is an error at run time, as in PyTorch.">;
def Neuron_FmodOp : Neuron_BinaryOp<"fmod", Neuron_NumberTensor, "modulus with the sign of the dividend", [],
    "An integer modulus by zero is an error at run time, as in PyTorch.">;
def Neuron_PowOp : Neuron_BinaryOp<"pow", Neuron_NumberTensor, "lhs to the power of rhs", [],
    "An integer to a negative power is 0, or 1 or -1 for the bases 1 and -1.">;
def Neuron_MaximumOp : Neuron_BinaryOp<"maximum", Neuron_NumberTensor, "larger value; propagates NaN", [],
    "Of equal zeros it is lhs, whatever their signs.">;
def Neuron_MinimumOp : Neuron_BinaryOp<"minimum", Neuron_NumberTensor, "smaller value; propagates NaN", [],
    "Of equal zeros it is lhs, whatever their signs.">;
def Neuron_FmaxOp : Neuron_BinaryOp<"fmax", Neuron_FloatTensor, "larger value; ignores NaN", [],
    "Of equal zeros it is lhs, whatever their signs.">;
def Neuron_FminOp : Neuron_BinaryOp<"fmin", Neuron_FloatTensor, "smaller value; ignores NaN", [],
    "Of equal zeros it is lhs, whatever their signs.">;
def Neuron_CopysignOp : Neuron_BinaryOp<"copysign", Neuron_FloatTensor, "magnitude of lhs, sign of rhs">;
def Neuron_NextafterOp : Neuron_BinaryOp<"nextafter", Neuron_FloatTensor, "next value after lhs toward rhs">;
def Neuron_HypotOp : Neuron_BinaryOp<"hypot", Neuron_FloatTensor, "`sqrt(lhs^2 + rhs^2)`">;
def Neuron_Atan2Op : Neuron_BinaryOp<"atan2", Neuron_FloatTensor, "angle of the point (rhs, lhs)">;
def Neuron_ZetaOp : Neuron_BinaryOp<"zeta", Neuron_FloatTensor, "sum of `(rhs + n)^-lhs` over n >= 0">;
def Neuron_IgammaOp : Neuron_BinaryOp<"igamma", Neuron_FloatTensor, "regularized lower incomplete gamma function", [],
    "Of the parameter lhs, from 0 to rhs.">;
def Neuron_IgammacOp : Neuron_BinaryOp<"igammac", Neuron_FloatTensor, "regularized upper incomplete gamma function", [],
    "Of the parameter lhs, from rhs on.">;
def Neuron_GcdOp : Neuron_BinaryOp<"gcd", Neuron_IntTensor, "greatest common divisor", [Commutative]>;
def Neuron_LcmOp : Neuron_BinaryOp<"lcm", Neuron_IntTensor, "least common multiple", [Commutative]>;

def Neuron_NegOp : Neuron_UnaryOp<"neg", Neuron_NumberTensor, "`-input`">;
def Neuron_AbsOp : Neuron_UnaryOp<"abs", Neuron_NumberTensor, "absolute value",
    "The least signed integer is its own absolute value.">;
def Neuron_SignOp : Neuron_UnaryOp<"sign", Neuron_NumberTensor, "-1, 0 or 1; 0 for NaN",
    "The sign of -0.0 is 0.0.">;
def Neuron_ReluOp : Neuron_UnaryOp<"relu", Neuron_NumberTensor, "`max(input, 0)`; keeps NaN",
    "-0.0 stays -0.0.">;
def Neuron_SquareOp : Neuron_UnaryOp<"square", Neuron_NumberTensor, "`input * input`">;
def Neuron_ReciprocalOp : Neuron_UnaryOp<"reciprocal", Neuron_FloatTensor, "`1 / input`">;
def Neuron_SqrtOp : Neuron_UnaryOp<"sqrt", Neuron_FloatTensor, "square root">;
def Neuron_RsqrtOp : Neuron_UnaryOp<"rsqrt", Neuron_FloatTensor, "`1 / sqrt(input)`">;
def Neuron_CeilOp : Neuron_UnaryOp<"ceil", Neuron_NumberTensor, "least integer not below",
    "The identity for integers.">;
def Neuron_FloorOp : Neuron_UnaryOp<"floor", Neuron_NumberTensor, "greatest integer not above",
    "The identity for integers.">;
def Neuron_RoundOp : Neuron_UnaryOp<"round", Neuron_NumberTensor, "nearest integer, ties to even",
    "The identity for integers.">;
def Neuron_TruncOp : Neuron_UnaryOp<"trunc", Neuron_NumberTensor, "integer part",
    "The identity for integers.">;

// Exponentials, logarithms, trigonometry
let opDocGroup = Neuron_FunctionGroup in {
def Neuron_ExpOp : Neuron_UnaryOp<"exp", Neuron_FloatTensor, "`e^input`">;
def Neuron_Exp2Op : Neuron_UnaryOp<"exp2", Neuron_FloatTensor, "`2^input`">;
def Neuron_Expm1Op : Neuron_UnaryOp<"expm1", Neuron_FloatTensor, "`e^input - 1`">;
def Neuron_LogOp : Neuron_UnaryOp<"log", Neuron_FloatTensor, "natural logarithm">;
def Neuron_Log2Op : Neuron_UnaryOp<"log2", Neuron_FloatTensor, "logarithm to base 2">;
def Neuron_Log10Op : Neuron_UnaryOp<"log10", Neuron_FloatTensor, "logarithm to base 10">;
def Neuron_Log1pOp : Neuron_UnaryOp<"log1p", Neuron_FloatTensor, "`log(1 + input)`">;
def Neuron_SinOp : Neuron_UnaryOp<"sin", Neuron_FloatTensor, "sine">;
def Neuron_CosOp : Neuron_UnaryOp<"cos", Neuron_FloatTensor, "cosine">;
def Neuron_TanOp : Neuron_UnaryOp<"tan", Neuron_FloatTensor, "tangent">;
def Neuron_AsinOp : Neuron_UnaryOp<"asin", Neuron_FloatTensor, "arc sine">;
def Neuron_AcosOp : Neuron_UnaryOp<"acos", Neuron_FloatTensor, "arc cosine">;
def Neuron_AtanOp : Neuron_UnaryOp<"atan", Neuron_FloatTensor, "arc tangent">;
def Neuron_SinhOp : Neuron_UnaryOp<"sinh", Neuron_FloatTensor, "hyperbolic sine">;
def Neuron_CoshOp : Neuron_UnaryOp<"cosh", Neuron_FloatTensor, "hyperbolic cosine">;
def Neuron_TanhOp : Neuron_UnaryOp<"tanh", Neuron_FloatTensor, "hyperbolic tangent">;
def Neuron_AsinhOp : Neuron_UnaryOp<"asinh", Neuron_FloatTensor, "inverse hyperbolic sine">;
def Neuron_AcoshOp : Neuron_UnaryOp<"acosh", Neuron_FloatTensor, "inverse hyperbolic cosine">;
def Neuron_AtanhOp : Neuron_UnaryOp<"atanh", Neuron_FloatTensor, "inverse hyperbolic tangent">;
def Neuron_ErfOp : Neuron_UnaryOp<"erf", Neuron_FloatTensor, "error function">;
def Neuron_ErfcOp : Neuron_UnaryOp<"erfc", Neuron_FloatTensor, "`1 - erf(input)`">;
def Neuron_ErfinvOp : Neuron_UnaryOp<"erfinv", Neuron_FloatTensor, "inverse error function">;
def Neuron_LgammaOp : Neuron_UnaryOp<"lgamma", Neuron_FloatTensor, "log of the absolute gamma function",
    "Infinite at 0 and the negative integers.">;
def Neuron_DigammaOp : Neuron_UnaryOp<"digamma", Neuron_FloatTensor, "derivative of lgamma">;
def Neuron_ErfcxOp : Neuron_UnaryOp<"erfcx", Neuron_FloatTensor, "`e^(input^2) * erfc(input)`">;
def Neuron_NdtriOp : Neuron_UnaryOp<"ndtri", Neuron_FloatTensor, "inverse of the normal distribution function">;
def Neuron_I0Op : Neuron_UnaryOp<"i0", Neuron_FloatTensor, "modified Bessel function I of order 0">;
def Neuron_I0eOp : Neuron_UnaryOp<"i0e", Neuron_FloatTensor, "`e^-|input| * i0(input)`">;
def Neuron_I1Op : Neuron_UnaryOp<"i1", Neuron_FloatTensor, "modified Bessel function I of order 1">;
def Neuron_I1eOp : Neuron_UnaryOp<"i1e", Neuron_FloatTensor, "`e^-|input| * i1(input)`">;
def Neuron_K0Op : Neuron_UnaryOp<"k0", Neuron_FloatTensor, "modified Bessel function K of order 0">;
def Neuron_K0eOp : Neuron_UnaryOp<"k0e", Neuron_FloatTensor, "`e^input * k0(input)`">;
def Neuron_K1Op : Neuron_UnaryOp<"k1", Neuron_FloatTensor, "modified Bessel function K of order 1">;
def Neuron_K1eOp : Neuron_UnaryOp<"k1e", Neuron_FloatTensor, "`e^input * k1(input)`">;
def Neuron_BesselJ0Op : Neuron_UnaryOp<"bessel_j0", Neuron_FloatTensor, "Bessel function J of order 0">;
def Neuron_BesselJ1Op : Neuron_UnaryOp<"bessel_j1", Neuron_FloatTensor, "Bessel function J of order 1">;
def Neuron_BesselY0Op : Neuron_UnaryOp<"bessel_y0", Neuron_FloatTensor, "Bessel function Y of order 0">;
def Neuron_BesselY1Op : Neuron_UnaryOp<"bessel_y1", Neuron_FloatTensor, "Bessel function Y of order 1">;
def Neuron_FrexpMantissaOp : Neuron_UnaryOp<"frexp_mantissa", Neuron_FloatTensor,
    "the fraction m of `input = m * 2^e`, 0.5 <= |m| < 1", "Zeros, infinities and NaN stay as they are.">;
def Neuron_FrexpExponentOp : Neuron_UnaryOp<"frexp_exponent", Neuron_FloatTensor,
    "the exponent e of `input = m * 2^e`, 0.5 <= |m| < 1", "It is 0 of zeros, infinities and NaN.">;
def Neuron_SigmoidOp : Neuron_UnaryOp<"sigmoid", Neuron_FloatTensor, "`1 / (1 + e^-input)`">;

} // opDocGroup

// Comparison and logic
def Neuron_EqOp : Neuron_CompareOp<"eq", Neuron_Tensor, "`lhs == rhs`", [Commutative]>;
def Neuron_NeOp : Neuron_CompareOp<"ne", Neuron_Tensor, "`lhs != rhs`", [Commutative]>;
def Neuron_LtOp : Neuron_CompareOp<"lt", Neuron_Tensor, "`lhs < rhs`">;
def Neuron_LeOp : Neuron_CompareOp<"le", Neuron_Tensor, "`lhs <= rhs`">;
def Neuron_GtOp : Neuron_CompareOp<"gt", Neuron_Tensor, "`lhs > rhs`">;
def Neuron_GeOp : Neuron_CompareOp<"ge", Neuron_Tensor, "`lhs >= rhs`">;
def Neuron_LogicalAndOp : Neuron_CompareOp<"logical_and", Neuron_Tensor, "both not zero", [Commutative]>;
def Neuron_LogicalOrOp : Neuron_CompareOp<"logical_or", Neuron_Tensor, "either not zero", [Commutative]>;
def Neuron_LogicalXorOp : Neuron_CompareOp<"logical_xor", Neuron_Tensor, "exactly one not zero", [Commutative]>;
def Neuron_LogicalNotOp : Neuron_TestOp<"logical_not", Neuron_Tensor, "input is zero">;
def Neuron_IsnanOp : Neuron_TestOp<"isnan", Neuron_FloatTensor, "input is NaN">;
def Neuron_IsinfOp : Neuron_TestOp<"isinf", Neuron_FloatTensor, "input is infinite">;
def Neuron_IsfiniteOp : Neuron_TestOp<"isfinite", Neuron_FloatTensor, "input is neither infinite nor NaN">;
def Neuron_SignbitOp : Neuron_TestOp<"signbit", Neuron_NumberTensor, "sign bit is set">;

let opDocGroup = Neuron_BitwiseGroup in {
def Neuron_BitwiseNotOp : Neuron_UnaryOp<"bitwise_not", Neuron_IntOrBoolTensor, "complement; of a bool, its negation">;
def Neuron_BitwiseAndOp : Neuron_BinaryOp<"bitwise_and", Neuron_IntOrBoolTensor, "bits in both", [Commutative]>;
def Neuron_BitwiseOrOp : Neuron_BinaryOp<"bitwise_or", Neuron_IntOrBoolTensor, "bits in either", [Commutative]>;
def Neuron_BitwiseXorOp : Neuron_BinaryOp<"bitwise_xor", Neuron_IntOrBoolTensor, "bits in one", [Commutative]>;
def Neuron_ShiftLeftOp : Neuron_BinaryOp<"shift_left", Neuron_IntTensor, "`lhs << rhs`; 0 for a count out of range", [],
    "A count outside [0, width) gives 0.">;
def Neuron_ShiftRightOp : Neuron_BinaryOp<"shift_right", Neuron_IntTensor, "`lhs >> rhs`; arithmetic for signed types", [],
    "Arithmetic for signed types. A count outside [0, width) shifts all value bits out.">;

} // opDocGroup

let opDocGroup = Neuron_SelectionGroup in {
def Neuron_SelectOp : Neuron_ElementwiseOp<"select", "select"> {
  let summary = "`on_true` where the condition holds, else `on_false` (torch.where)";
  let description = [{
    `on_true`, `on_false` and the result have one element type (E1). All three operands broadcast (E2).

    ```mlir
    %3 = neuron.select %0, %1, %2 : (tensor<4x512xi1>, tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_BoolTensor:$condition, Neuron_AnyTensor:$on_true, Neuron_AnyTensor:$on_false);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let verifier = BroadcastVerifier;
}

def Neuron_CastOp : Neuron_ElementwiseOp<"cast", "identity", [SameOperandsAndResultShape]> {
  let summary = "conversion of the element type, as Tensor.to does";
  let description = [{
    Floating types round to nearest even; `f64` and integers become `f16`, `bf16` or 8-bit floats by way of
    `f32`, and what is too large for an 8-bit float becomes what c10 makes of it (semantics/Float8.h). A
    floating value becomes an integer by truncation toward zero; out of range, the result is unspecified, as
    in PyTorch. Integers wrap. Whatever is not zero becomes true. The result has the operand's shape (E3); a
    cast to the same type folds away.

    ```mlir
    %1 = neuron.cast %0 : tensor<4x512xbf16> to tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_AnyTensor:$input);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasCanonicalizer = 1;
}

def Neuron_BitcastOp : Neuron_Op<"bitcast", [Pure, SameOperandsAndResultShape,
                                             DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "the bits of every element, read as another element type (torch's view(dtype))";
  let description = [{
    The types have one width, and neither is `i1` (E4). The result has the operand's shape (E3).

    ```mlir
    %1 = neuron.bitcast %0 : tensor<4x512xf8E4M3FN> to tensor<4x512xui8>
    ```
  }];
  let arguments = (ins Neuron_AnyTensor:$input);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDefinition = "::neuron::program::Fn $cppClass::getFn() { return ::neuron::program::Fn::identity; }";
}

} // opDocGroup

// Composites that are pointwise
let opDocGroup = Neuron_FunctionGroup in {
def Neuron_SiluOp : Neuron_UnaryOp<"silu", Neuron_FloatTensor, "`input * sigmoid(input)`">;
def Neuron_GeluOp : Neuron_UnaryOp<"gelu", Neuron_FloatTensor, "GELU by the error function">;
def Neuron_GeluTanhOp : Neuron_UnaryOp<"gelu_tanh", Neuron_FloatTensor, "GELU's tanh approximation">;
} // opDocGroup

#endif // NEURON_ELEMENTWISE_OPS_TD

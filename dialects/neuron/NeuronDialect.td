//===- NeuronDialect.td - the neuron dialect ----------------*- tablegen -*-===//
//
// Tensor-level operations with value semantics: what a user reads in the `graph` and `fused` dumps.
//
//===----------------------------------------------------------------------===//
#ifndef NEURON_DIALECT_TD
#define NEURON_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Neuron_Dialect : Dialect {
  let name = "neuron";
  let cppNamespace = "::neuron::ir";
  let summary = "PyTorch's tensor operations, as the neuron compiler sees them";
  let description = [{
    Operations have value semantics and compute what PyTorch computes on CPU: NaN, ties, rounding, integer
    division and wrap-around at the type's own width. Type promotion is resolved before, so the operands of
    an arithmetic operation have one element type.

    Element types are `i1` (bool), `i8` to `i64` (signed), `ui8` to `ui64`, `f16`, `bf16`, `f32` and `f64`.
    Shapes are static, of rank 0 to 16. Elementwise operations broadcast as PyTorch does: shapes are aligned
    at the right, and a size of 1 is repeated.

    Operations of `f16` and `bf16` compute in `f32` and round once, to nearest even.

    ## Rules

    Every rule has a number. The verifier's message starts with it, and a test of that name breaks it.

    | Rule | Holds for | Says |
    |------|-----------|------|
    | T1 | every tensor | static shape, rank 0 to 16, an element type that the operation allows |
    | E1 | elementwise, two or more operands | one element type (`select`: of `on_true`, `on_false` and the result; a comparison's result is bool) |
    | E2 | elementwise, two or more operands | the result has the broadcast shape of the operands |
    | E3 | elementwise, one operand | the result has the operand's shape, and its type unless the operation says otherwise |
    | E4 | `bitcast` | the two element types have one width, and neither is `i1` |
    | R1 | reductions | `dims` are sorted, unique, and in [0, rank) |
    | R2 | reductions | the result's shape is the operand's without `dims`; with `keepdim`, with 1 at `dims` |
    | R3 | reductions | the result has the operand's element type (`any`, `all`: bool; `argmax`, `argmin`: i64) |
    | R4 | `max`, `min`, `argmax`, `argmin`, `norm` of an infinite or negative order | no reduced dimension has size 0: these have no value for no elements |
    | N1 | `rms_norm`, `layer_norm` | `weight` and `bias` have the operand's element type and broadcast to its shape |
    | N2 | named operations | the result has the operand's type |
    | N3 | named operations | `dims` obey R1 |
    | N4 | `rms_norm`, `layer_norm` | `eps` is finite and not negative |
    | M1 | `matmul` | the operands have one element type |
    | M2 | `matmul` | the result has the operands' element type, or `f32` for `f16` and `bf16` |
    | M3 | `matmul` | each operand has the batch and contracted dimensions, with equal sizes in both |
    | M4 | `matmul` | the result's sizes are those of the batch, M and N dimensions |
    | J1 | `gather` | the result has the input's element type |
    | J2 | `gather` | the input's first dimension has an element, the others broadcast to the result's shape |
    | J3 | `gather` | the index broadcasts to the result's shape |
    | J4 | `scatter` | the updates have the element type of the destination |
    | J5 | `scatter` | index and updates broadcast to one shape; the destination's first dimension has an element, the others broadcast to that shape |
    | J6 | `scatter` | `reduce` is one of `none`, `sum`, `prod`, `max`, `min`; bools have no `sum` and `prod` |
    | Q1 | `scan` | `kind` is one of `sum`, `prod`, `max`, `min`, `logaddexp`; bools have `max` and `min` only, `logaddexp` is of floats |
    | U1 | `random` | the key has one element |
    | V1 | views | the result has the operand's element type |
    | V2 | `reshape` | the result has as many elements as the operand |
    | V3 | `expand` | sizes aligned at the right are equal, or the operand's is 1 |
    | V4 | `permute` | `permutation` holds each dimension once, and the result's sizes follow it |
    | V5 | `slice` | one start and one step per dimension, no step of 0, every element within the operand |
    | V6 | `window` | `dim` is a dimension of the operand, `step` and `dilation` are at least 1, the result has two dimensions in its place, every element is within the operand |
    | C1 | `concat` | an operand at least; the operands have the result's element type and rank |
    | C2 | `concat` | `dim` is a dimension of the result |
    | C3 | `concat` | the operands have the result's sizes but for `dim`, where the result's size is their sum |
    | I1 | `iota` | `dim` is a dimension of the result |
    | I2 | `iota` | `start` and `step` are `i64` for an integer result, `f64` for a floating one |
    | K1 | `kernel` | the region's arguments have the types of the inputs |
    | K2 | `kernel` | the region ends in a `yield` of the types of the results |
    | K3 | `kernel` | the region holds operations of this dialect only, and no other kernel |
    | K4 | `kernel` | the name is not empty, and there is a result |
    | K5 | `kernel` | `shape`, `row_dims` and `column_dims` are there together or not at all; the two lists are sorted and hold each dimension of `shape` once |

    ## Canonical form

    `--canonicalize` folds constants wherever the result has the same bits as at run time: never a
    root or a transcendental function, an integer division by zero, a conversion out of range, or a NaN made
    by arithmetic. It removes identities that hold for every value, NaN and -0.0 included. Afterwards:

    - A constant operand of a commutative operation or of a comparison is the right one.
    - A splat constant that only broadcasts has rank 0.
    - No operation but a constant or a kernel has a result without elements.
    - No view follows a view of the same kind, and no cast is the identity.
  }];
  let hasConstantMaterializer = 1;
  // Patterns that hold for every elementwise op, reduction, ...: Canonicalize.cpp.
  let hasCanonicalizer = 1;
}

// A tensor that obeys rule T1. Its verifier's message starts with the rule.
class Neuron_TensorOf<list<Type> elements, string what>
    : ConfinedType<StaticShapeTensorOf<elements>,
                   [CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() <= ::neuron::ir::kMaxRank">],
                   "T1: static tensor of " # what # ", rank 0 to 16",
                   "::mlir::RankedTensorType">;

defvar Neuron_Ints = [I8, I16, I32, I64, UI8, UI16, UI32, UI64];
defvar Neuron_Floats = [F16, BF16, F32, F64];

// Stored and converted only: arithmetic of these is that of f32.
defvar Neuron_Float8s = [F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU];

def Neuron_AnyTensor : Neuron_TensorOf<[I1] # Neuron_Ints # Neuron_Floats # Neuron_Float8s,
                                       "bools, integers or floats">;
def Neuron_Tensor : Neuron_TensorOf<[I1] # Neuron_Ints # Neuron_Floats,
                                    "bools, integers or floats of 16 bits or more">;
def Neuron_NumberTensor : Neuron_TensorOf<Neuron_Ints # Neuron_Floats, "integers or floats">;
def Neuron_FloatTensor : Neuron_TensorOf<Neuron_Floats, "floats">;
def Neuron_IntTensor : Neuron_TensorOf<Neuron_Ints, "integers">;
def Neuron_IntOrBoolTensor : Neuron_TensorOf<[I1] # Neuron_Ints, "bools or integers">;
def Neuron_BoolTensor : Neuron_TensorOf<[I1], "bools">;
def Neuron_IndexTensor : Neuron_TensorOf<[I64], "64-bit integers">;

class Neuron_Op<string mnemonic, list<Trait> traits = []> : Op<Neuron_Dialect, mnemonic, traits>;

#endif // NEURON_DIALECT_TD

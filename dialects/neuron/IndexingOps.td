//===- IndexingOps.td - gather and scatter -------------------*- tablegen -*-===//
#ifndef NEURON_INDEXING_OPS_TD
#define NEURON_INDEXING_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_IndexingGroup : OpDocGroup {
  let summary = "Indexing";
  let description = [{
    Elements of HBM by indices that are computed. The indexed dimension is the first one of the indexed operand:
    views before and after the operation put it there, and one operation serves torch.gather, index_select,
    embedding and indexing by several tensors. An index outside of the dimension is an error at run time.
  }];
}

def Neuron_GatherOp : Neuron_Op<"gather", [Pure, DeclareOpInterfaceMethods<MemoryReaderOpInterface>]> {
  let summary = "element i is `input[index[i], i]`";
  let opDocGroup = Neuron_IndexingGroup;
  let description = [{
    The first dimension of `input` is the indexed one; it has an element, and the others broadcast to the result's
    shape (J2). The index broadcasts to that shape too (J3). The result has the input's element type (J1).

    ```mlir
    // An embedding of 6 words: rows of a table.
    %2 = neuron.gather %table, %words : tensor<1000x64xbf16>, tensor<6x1xi64> -> tensor<6x64xbf16>
    ```
  }];
  let arguments = (ins Neuron_AnyTensor:$input, Neuron_IndexTensor:$index);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$input `,` $index attr-dict `:` type($input) `,` type($index) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDefinition = "bool $cppClass::isReadInMemory(unsigned operand) { return operand == 0; }";
}

def Neuron_ScatterOp : Neuron_Op<"scatter", [Pure, AllTypesMatch<["dest", "result"]>,
                                             DeclareOpInterfaceMethods<MemoryReaderOpInterface>]> {
  let summary = "`dest`, in which `dest[index[i], i]` became `updates[i]` or was combined with it";
  let opDocGroup = Neuron_IndexingGroup;
  let description = [{
    Goes over the broadcast shape of `index` and `updates` in row-major order, so that of several updates of one
    element the last one stays. The first dimension of `dest` is the indexed one; it has an element, and the others
    broadcast to that shape (J5). `updates` has the element type of `dest` (J4). `reduce` is `none`, `sum`, `prod`,
    `max` or `min` (J6): with another than `none`, the element is combined with each update in turn, in `f32` for
    `f16` and `bf16`, and rounded each time.

    ```mlir
    %3 = neuron.scatter %dest, %index, %updates reduce "sum"
           : tensor<1000x64xf32>, tensor<6x1xi64>, tensor<6x64xf32> -> tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins Neuron_AnyTensor:$dest, Neuron_IndexTensor:$index, Neuron_AnyTensor:$updates, StrAttr:$reduce);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = [{
    $dest `,` $index `,` $updates `reduce` $reduce attr-dict `:` type($dest) `,` type($index) `,` type($updates)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The shape that it goes over.
    ::llvm::SmallVector<int64_t, 8> getSpace();
  }];
  let extraClassDefinition = "bool $cppClass::isReadInMemory(unsigned operand) { return operand == 0; }";
}

#endif // NEURON_INDEXING_OPS_TD

"""Complex inputs and outputs of a graph that knows only real ones: views of the same memory, so nothing is copied."""

import dataclasses

import torch


def _of_output(memory, conjugated):
    result = torch.view_as_complex(memory)
    return result.conj() if conjugated else result


@dataclasses.dataclass
class Boundary:
    """{position: whether it is conjugated} of the complex inputs and of the complex outputs; `written` are the inputs
    that the graph writes to."""

    inputs: dict = dataclasses.field(default_factory=dict)
    outputs: dict = dataclasses.field(default_factory=dict)
    written: tuple = ()

    def call(self, run, inputs):
        """What `run` makes of a list of inputs, which is emptied."""
        given, copies = list(inputs), []
        inputs.clear()
        # Gradients and views are AOTAutograd's affair; it must not see that its outputs are views of anything.
        with torch._C._AutoDispatchBelowADInplaceOrView():
            for position, conjugated in self.inputs.items():
                tensor = given[position]
                if not isinstance(tensor, torch.Tensor) or not tensor.is_complex():
                    continue  # refused by the executor, which says why
                if tensor.is_conj() == conjugated and not tensor.is_neg():
                    given[position] = torch.view_as_real(tensor.conj() if conjugated else tensor)
                    continue
                # Traced for another form of the same numbers.
                plain = (tensor.conj() if conjugated else tensor).resolve_conj().resolve_neg()
                given[position] = torch.view_as_real(plain)
                if position in self.written:
                    copies.append((tensor, plain.conj() if conjugated else plain))
            results = run(given)
            for position, conjugated in self.outputs.items():
                results[position] = _of_output(results[position], conjugated)
            for tensor, plain in copies:
                tensor.copy_(plain)
        return results

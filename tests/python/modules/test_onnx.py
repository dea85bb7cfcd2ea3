# SPDX-License-Identifier: Apache-2.0
"""Models of ONNX, made by torch.onnx and run by ONNX Runtime."""

import io

import onnx
import onnxruntime
import posenc
import pytest
import torch
from graph_shared import PLACES, Positions, same
from posenc.torch import _graph

pytestmark = [pytest.mark.onnx, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


# Of OperatorKernels.md of ONNX Runtime 1.32, CUDAExecutionProvider, for int64, float and bool.
OF_CUDA = {
    *("Abs", "Add", "And", "Cast", "Concat", "Div", "Expand", "Gather", "Less", "Mod", "Mul", "Neg", "Not", "Or"),
    *("Range", "Reshape", "Shape", "Slice", "Split", "Squeeze", "Sub", "Transpose", "Unsqueeze", "Where", "Xor"),
}


def test_onnx_runtime_has_the_bits():
    class Rows(torch.nn.Module):
        def forward(self, at):
            return _graph.rows(_graph.Of("transformer", 66, False), [at], "phase")

    buffer = io.BytesIO()
    torch.onnx.export(
        Rows(), (torch.arange(5),), buffer, dynamo=True, dynamic_shapes=({0: torch.export.Dim("tokens", min=1)},)
    )
    session = onnxruntime.InferenceSession(buffer.getvalue())
    (made,) = session.run(None, {session.get_inputs()[0].name: PLACES.numpy()})
    assert same(torch.from_numpy(made), posenc.table("transformer", 66, PLACES.numpy(), recipe="phase"))


def test_models_of_onnx_have_standard_operators(tmp_path):
    """Those that ONNX Runtime's CUDA provider has, too."""

    x = torch.randn(2, 7, 32)
    tokens = torch.export.Dim("tokens", min=2, max=1 << 20)
    path = tmp_path / "positions.onnx"
    torch.onnx.export(Positions().eval(), (x,), path, dynamo=True, dynamic_shapes=({1: tokens},))
    model = onnx.load(path)
    kinds = {(node.domain, node.op_type) for node in model.graph.node}
    assert {domain for domain, _ in kinds} == {""} and not model.functions
    print(sorted(kind for _, kind in kinds))
    assert {kind for _, kind in kinds} <= OF_CUDA
    x = torch.randn(2, 13, 32)
    session = onnxruntime.InferenceSession(path)
    (made,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    torch.testing.assert_close(torch.from_numpy(made), Positions().eval()(x), rtol=0, atol=2**-19)

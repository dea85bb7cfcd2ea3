# SPDX-License-Identifier: Apache-2.0
"""When a call may go straight to the kernels, past PyTorch's dispatcher."""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

from .. import _core

_dispatch_modes = torch._C._len_torch_dispatch_stack
_is_compiling = torch.compiler.is_compiling
_is_tracing = torch._C._is_tracing
_transforms = torch._C._functorch.peek_interpreter_stack
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def records(*tensors: torch.Tensor) -> bool:
    """Whether a gradient of one of them is recorded."""
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def is_under_transform() -> bool:
    """torch.func: vmap, grad, jvp."""
    return _transforms() is not None


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory as a tensor that the kernels read: of no subclass."""
    return tensor if type(tensor) is torch.Tensor else tensor.detach().as_subclass(torch.Tensor)


def _nothing_traces() -> bool:
    """Nor transforms what is done with tensors, nor looks at it."""
    return (
        not _is_compiling()
        and _transforms() is None
        and _dispatch_modes() == 0
        and forward_ad._current_level < 0
        and not _is_tracing()
    )


def goes_straight(*tensors: torch.Tensor) -> bool:
    """Plain tensors on the CPU, and nothing that traces, transforms or records what is done with them.

    The dispatcher costs 11 to 44 us a call, a decoding step 1 to 4.
    """
    return _nothing_traces() and _core.are_plain(tensors)


def records_straight(*tensors: torch.Tensor) -> bool:
    """Plain tensors on the CPU whose gradient is all that is recorded: for an autograd.Function past the dispatcher.

    An operator written in Python costs 0.1 to 0.3 ms a call and its gradient, such a function 10 to 20 us.
    """
    return _nothing_traces() and all(type(tensor) in _PLAIN and tensor.is_cpu for tensor in tensors)

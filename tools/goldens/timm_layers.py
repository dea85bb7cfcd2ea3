# SPDX-License-Identifier: Apache-2.0
"""Functions of timm that need nothing but PyTorch. timm's own __init__ imports every model and torchvision, whose wheel
for the CPU is in no registry: here the packages are entered without it, and torchvision is said not to be there."""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.util
import sys
import types

sys.modules["torchvision"] = None  # importing it is an ImportError, which timm allows for
_folder = importlib.util.find_spec("timm").submodule_search_locations[0]
for _name, _path in (("timm", _folder), ("timm.layers", f"{_folder}/layers")):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_path]

from timm.layers.pos_embed import resample_abs_pos_embed
from timm.layers.pos_embed_rel import (gen_relative_log_coords, gen_relative_position_index,
                                       resize_rel_pos_bias_table_levit, resize_rel_pos_bias_table_simple)
from timm.layers.pos_embed_sincos import FourierEmbed, build_fourier_pos_embed, build_sincos2d_pos_embed, freq_bands

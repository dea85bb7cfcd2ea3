# SPDX-License-Identifier: Apache-2.0
"""The stages of examples/corpus_ray.py by Hugging Face's tokenizers and PyTorch's modules."""

import math

import numpy as np
import pyarrow as pa
import tokenizers
import torch
from torch import nn


class PeerTokenize:
    """Texts to rows of at most `most` ids, as posenc.ray.Tokenize(longer="split") makes them of good texts."""

    def __init__(self, path, most):
        self._text = tokenizers.Tokenizer.from_file(path).to_str()
        self._most = most
        self._tokenizer = None

    def __call__(self, table):
        if self._tokenizer is None:  # in the process that works
            self._tokenizer = tokenizers.Tokenizer.from_str(self._text)
        texts = [text.decode() for text in table["text"].to_pylist()]
        rows, firsts, lists = [], [], []
        encoded = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for row, each in zip(table["row"].to_pylist(), encoded, strict=True):
            ids = each.ids
            for first in range(0, max(1, len(ids)), self._most):
                rows.append(row)
                firsts.append(first)
                lists.append(ids[first : first + self._most])
        made = {"row": rows, "first": firsts, "ids": pa.array(lists, pa.list_(pa.int32()))}
        nulls = {"reason": pa.nulls(len(rows), pa.string()), "text": pa.nulls(len(rows), pa.large_binary())}
        same = {name: np.full(len(rows), table[name][0].as_py()) for name in ("part", "of")}
        return pa.table({**made, **nulls, **same})

    def __getstate__(self):
        return {**self.__dict__, "_tokenizer": None}


class PeerModel(nn.Module):
    """nn.Embedding, its scale, the position module of PyTorch's tutorial, dropout."""

    def __init__(self, rows, longest):
        super().__init__()
        width = rows.shape[1]
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(rows))
        self.dropout = nn.Dropout(0.1)
        position = torch.arange(longest).unsqueeze(1)
        frequencies = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        pe = torch.zeros(longest, width)
        pe[:, 0::2] = torch.sin(position * frequencies)
        pe[:, 1::2] = torch.cos(position * frequencies)
        self.register_buffer("pe", pe)

    def forward(self, ids, positions):
        return self.dropout(self.embedding(ids) * math.sqrt(self.pe.shape[1]) + self.pe[positions])


class PeerEncode:
    """Rows of ids to `encoded`, zeros behind their tokens, as posenc.ray.Encode makes them."""

    def __init__(self, rows, length, longest, field):
        self._model = PeerModel(rows, longest).eval()
        self._length, self.field = length, field

    def __call__(self, table):
        counts = torch.tensor([len(ids) for ids in table["ids"].to_pylist()])
        out = self.tensors(table)
        stored = pa.FixedSizeListArray.from_arrays(pa.array(out.numpy().reshape(-1)), out[0].numel())
        made = table.drop_columns(["ids"]).append_column("tokens", pa.array(counts.numpy(), pa.int32()))
        return made.append_column(self.field, pa.ExtensionArray.from_storage(self.field.type, stored))

    @torch.no_grad()
    def tensors(self, table):
        lists = [torch.tensor(ids, dtype=torch.long) for ids in table["ids"].to_pylist()]
        ids = nn.utils.rnn.pad_sequence(lists, batch_first=True)
        ids = nn.functional.pad(ids, (0, self._length - ids.shape[1]))
        at = torch.tensor(table["first"].to_pylist())[:, None] + torch.arange(self._length)
        is_token = torch.arange(self._length) < torch.tensor([len(each) for each in lists])[:, None]
        return self._model(ids, at.clamp(max=self._model.pe.shape[0] - 1)) * is_token[..., None]

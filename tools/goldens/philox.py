# SPDX-License-Identifier: Apache-2.0
"""Dropout masks from Philox4x32-10, written from its paper (Salmon et al. 2011) and the library's contract."""
import numpy as np

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOW = 0xFFFFFFFF

# Random123's known answers: counter, key, result
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((LOW,) * 4, (LOW,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]


def philox(counter, key):
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        first, second = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = (second >> 32) ^ b ^ k, second & LOW, (first >> 32) ^ d ^ l, first & LOW
        k, l = (k + WEYL[0]) & LOW, (l + WEYL[1]) & LOW
    return a, b, c, d


assert all(philox(counter, key) == result for counter, key, result in KNOWN)


def dropout_mask(shape, k, seed, call, first=0):
    """[B, L, d] of 0 and 1 in int32: element (b, t, c) is dropped when half c mod 8 (low half of word 0 first) of
    Philox at (c / 8, first + t, b, call) is below k."""
    batch, length, dim = shape
    mask = np.empty(shape, np.int32)
    for b in range(batch):
        for t in range(length):
            for c in range(dim):
                words = philox((c // 8, first + t, b, call), (seed & LOW, seed >> 32))
                half = words[c % 8 // 2] >> (16 * (c % 2)) & 0xFFFF
                mask[b, t, c] = half >= k
    return mask

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording as Whisper's features: 16 kHz, one channel, 16 bit WAV to a log-mel spectrogram, f32 [80, 3000], in .npy.

usage: features.py IN.wav OUT.npy

30 s of sound, padded with silence; frames of 400 samples (25 ms), 160 (10 ms) apart, under a Hann window; 80 mel bands of
the power spectrum, Slaney's scale and areas; log10 not more than 8 below the largest, then (x + 4) / 4. That is what
Radford et al. 2022, section 2.2, and the features of the transformers package say; tests/checkpoints holds the two
together.
"""
import pathlib
import sys
import wave

import numpy as np

import problem

RATE, FRAME, HOP, BANDS, SECONDS = 16000, 400, 160, 80, 30
LINEAR_TO = 1000.0  # Hz; above, Slaney's scale is logarithmic
HZ_PER_MEL = 200 / 3
MELS_AT_BREAK = LINEAR_TO / HZ_PER_MEL
OCTAVE_STEP = np.log(6.4) / 27


def mel(hertz):
    above = MELS_AT_BREAK + np.log(np.maximum(hertz, LINEAR_TO) / LINEAR_TO) / OCTAVE_STEP
    return np.where(hertz < LINEAR_TO, hertz / HZ_PER_MEL, above)


def hertz(mels):
    above = LINEAR_TO * np.exp(OCTAVE_STEP * (np.maximum(mels, MELS_AT_BREAK) - MELS_AT_BREAK))
    return np.where(mels < MELS_AT_BREAK, mels * HZ_PER_MEL, above)


def bands():
    """Triangles of area 1 over the bins of a frame, [80, 201]."""
    edges = hertz(np.linspace(0, mel(np.float64(RATE / 2)), BANDS + 2))
    bins = np.linspace(0, RATE / 2, FRAME // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.clip(np.minimum(rising, falling), 0, None) * (2 / (edges[2:] - edges[:-2]))[:, None]


def samples(path):
    try:
        with wave.open(str(path)) as file:
            rate, channels, size = file.getframerate(), file.getnchannels(), file.getsampwidth()
            raw = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as found:
        raise ValueError(f"{path} must be a whole WAV file of PCM: {found or 'it ends early'}") from found
    if (rate, channels, size) != (RATE, 1, 2):
        raise ValueError(f"{path} must have 16000 Hz, 1 channel, 16 bits, got {rate} Hz, {channels}, {8 * size}")
    return np.frombuffer(raw, "<i2") / 32768


def features(sound):
    whole = np.zeros(RATE * SECONDS)
    whole[: min(len(sound), len(whole))] = sound[: len(whole)]
    padded = np.pad(whole, FRAME // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP][: len(whole) // HOP]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    power = np.abs(np.fft.rfft(frames * window)) ** 2
    logs = np.log10(np.maximum(bands() @ power.T, 1e-10))
    return ((np.maximum(logs, logs.max() - 8) + 4) / 4).astype(np.float32)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        np.save(pathlib.Path(sys.argv[2]), features(samples(sys.argv[1])))
    except (ValueError, OSError) as found:
        problem.stop("features", found)

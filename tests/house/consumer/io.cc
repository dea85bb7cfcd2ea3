// SPDX-License-Identifier: Apache-2.0
// Somebody's program that uses posenc::io: the first piece of a text is its first word.
#include <posenc/bpe.h>

int main() { return posenc::io::gpt2_piece("hello world") == 5 ? 0 : 1; }

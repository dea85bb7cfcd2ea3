// SPDX-License-Identifier: Apache-2.0
// Somebody's program that uses posenc::text: the first piece of a text is its first word.
#include <posenc/text/bpe.h>

int main() { return posenc::io::gpt2_piece("hello world") == 5 ? 0 : 1; }

// SPDX-License-Identifier: Apache-2.0
// The random queries and keys of the panel of distances.

export const seed = 16;
export const pairs = 64;

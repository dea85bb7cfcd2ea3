// SPDX-License-Identifier: Apache-2.0
// Inlining as the compiler sees fit, behind hwy/base.h. Highway's emulated lanes are loops, a dozen in each line of a
// kernel: written out at every place, they are half of the module, and one source takes minutes to compile.
#pragma once

#undef HWY_INLINE
#define HWY_INLINE inline

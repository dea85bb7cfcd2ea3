// SPDX-License-Identifier: Apache-2.0
// Inlining as the compiler sees fit, before sources whose every form written out takes it many minutes: Highway's
// emulated lanes are loops, a dozen in each line of a kernel.
#pragma once

#include <hwy/base.h>
#undef HWY_INLINE
#define HWY_INLINE inline

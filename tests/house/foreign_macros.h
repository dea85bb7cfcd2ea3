// SPDX-License-Identifier: Apache-2.0
// Macros of <X11/Xlib.h> and <windows.h>. The public headers must compile after them. The headers of the standard
// library come first, as in programs that survive these macros.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// X11/X.h, X11/Xlib.h
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Always 2
#define Above 0
#define Below 1
#define Success 0
#define Unsorted 0
#define Complex 0
#define Convex 2
#define Nonconvex 1
#define CursorShape 0
#define Expose 12
#define FocusIn 9
#define FocusOut 10
#define GrayScale 1
#define KeyPress 2
#define NoSymbol 0L
#define PropModeReplace 0
#define Opposite 4
#define AllValues 0x000F
#define AllPlanes ((unsigned long)~0L)
#define AllTemporary 0L
#define AnyKey 0L
#define CurrentTime 0L
#define Button1 1
#define ControlMask (1 << 2)
#define DefaultScreen(dpy) 0
#define ScreenCount(dpy) 1

// windows.h and what it includes, without NOMINMAX and WIN32_LEAN_AND_MEAN
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define pascal
#define small char
#define hyper long long
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define DELETE (0x00010000L)
#define IGNORE 0
#define INFINITE 0xFFFFFFFF
#define NO_ERROR 0L
#define ABSOLUTE 1
#define RELATIVE 2
#define STRICT 1
#define TRANSPARENT 1
#define OPAQUE 2
#define THIS_ void
#define GetMessage GetMessageA
#define CreateFile CreateFileA
#define DrawText DrawTextA
#define LoadImage LoadImageA

// SPDX-License-Identifier: Apache-2.0
// How a call says no: PosencError for a value that breaks a rule, TypeError for a value of another type.
#pragma once

#include <nanobind/nanobind.h>
#include <posenc/core.h>

// None is a value like any other: it is refused by the rule of its argument, where it has no meaning.
template <>
struct nanobind::detail::has_arg_defaults<nanobind::handle> : std::true_type {};

namespace posenc::python {

namespace nb = nanobind;

/// str(value), the halves of characters escaped.
std::string said(nb::handle value);
/// Item i of a sequence, or what it raises.
nb::object item_at(nb::handle sequence, std::size_t i);
/// What a mapping has for a word; nothing where it raises KeyError.
nb::object found_in(nb::handle mapping, const std::string& word);

/// Raises PosencError.
[[noreturn]] void refuse(std::string_view operation, std::string_view rule, std::string value);
/// Raises TypeError with the text of a PosencError: "[operation] rule, got value".
[[noreturn]] void refuse_type(std::string_view operation, std::string_view rule, const std::string& value);
/// The same; the value is said by its type, and by its element type where it has one.
[[noreturn]] void refuse_type(std::string_view operation, std::string_view rule, nb::handle value);

/// posenc::Error becomes PosencError, or OSError where the system failed.
void bind_errors();

}  // namespace posenc::python

// SPDX-License-Identifier: Apache-2.0
// How an Error of the library comes back to the C ABI, which returns it as a value. The runtime of wasi-libc ends the
// program at a throw; this is the part of the Itanium ABI that code compiled by -fwasm-exceptions asks for. Nothing
// that is thrown leaves the module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

// The one kind of exception that the engine knows, whose payload is the address of what was thrown.
__asm__(
    ".tagtype __cpp_exception i32\n"
    ".globl __cpp_exception\n"
    "__cpp_exception:\n");

namespace {

/// What stands before a thrown object.
struct alignas(std::max_align_t) Thrown {
  const std::type_info* type;
  void* (*destroy)(void*);  ///< destructors of this machine return their object
  void* outer;              ///< what was being handled when this was caught
};
Thrown& thrown(void* object) { return static_cast<Thrown*>(object)[-1]; }

/// The object that is being handled.
void* handled = nullptr;

std::uint32_t read_uleb(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}
std::int32_t read_sleb(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  int shift = 0;
  std::uint8_t byte;
  do {
    byte = *at++;
    value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0);
  if ((byte & 0x40) != 0 && shift < 32) value |= ~std::uint32_t{0} << shift;
  return static_cast<std::int32_t>(value);
}

/// The table of a function's handlers: an action for each `try`, each a chain of the types that it catches.
struct Handlers {
  const std::uint8_t *actions, *types;
  std::uint32_t action;  ///< the first one, counted from 1; 0: destructors alone
};
Handlers handlers_of(const std::uint8_t* at, std::uint32_t number) {
  Handlers found = {};
  ++at;  // how the start of landing pads is encoded: left out
  ++at;  // how types are encoded: addresses
  found.types = at;
  const std::uint32_t types = read_uleb(at);
  found.types = at + types;
  ++at;  // how `try`s are encoded: uleb
  const std::uint32_t length = read_uleb(at);
  found.actions = at + length;
  for (std::uint32_t i = 0; i <= number; ++i) {
    read_uleb(at);
    found.action = read_uleb(at);
  }
  return found;
}

}  // namespace

extern "C" {

// Written and read by compiled code: which `try` it is in, and which of its handlers is to run.
struct {
  std::uint32_t number;
  const std::uint8_t* table;
  std::int32_t handler;
} __wasm_lpad_context = {};

// The handler for what was thrown: the first one of its very type, or of all. The library catches no base of what it
// throws but after that type itself.
int _Unwind_CallPersonality(void* object) {
  const Handlers of = handlers_of(__wasm_lpad_context.table, __wasm_lpad_context.number);
  __wasm_lpad_context.handler = 0;
  for (std::uint32_t action = of.action; action != 0;) {
    const std::uint8_t* at = of.actions + action - 1;
    const std::int32_t handler = read_sleb(at);
    const std::uint8_t* const before = at;
    const std::int32_t next = read_sleb(at);
    const std::type_info* type = nullptr;
    if (handler > 0) type = *(reinterpret_cast<const std::type_info* const*>(of.types) - handler);
    if (handler > 0 && (type == nullptr || *type == *thrown(object).type)) {
      __wasm_lpad_context.handler = handler;
      return 0;
    }
    if (next == 0) break;
    action = static_cast<std::uint32_t>(before + next - of.actions) + 1;
  }
  return 0;
}
int __gxx_wasm_personality_v0(void*) { return 0; }  // named by compiled code, called by none

void* __cxa_allocate_exception(std::size_t size) {
  void* memory = std::malloc(sizeof(Thrown) + size);
  if (memory == nullptr) __builtin_trap();
  return static_cast<Thrown*>(memory) + 1;
}
void __cxa_free_exception(void* object) { std::free(&thrown(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  thrown(object) = {type, destroy, nullptr};
  __builtin_wasm_throw(0, object);
}
void* __cxa_begin_catch(void* object) {
  thrown(object).outer = handled;
  return handled = object;
}
void __cxa_end_catch() {
  void* const object = handled;
  handled = thrown(object).outer;
  if (thrown(object).destroy != nullptr) thrown(object).destroy(object);
  __cxa_free_exception(object);
}
}

// SPDX-License-Identifier: Apache-2.0
// Throws errors; a program compiled without exceptions prints the message and terminates.
namespace posenc::detail {

bool finishes(void (*job)(void*, std::int64_t), void* context, std::int64_t index) noexcept {
  const DefaultEnvironment environment;
#if defined(__cpp_exceptions)
  try {
    job(context, index);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
#else
  job(context, index);
  return true;
#endif
}

void end_without_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::fputs("posenc: no memory is left\n", stderr);
  std::abort();
#endif
}

void raise(Problem problem) {
#if defined(__cpp_exceptions)
  throw Error(std::move(problem));
#else
  std::fprintf(stderr, "posenc: %s\n", problem.message().c_str());
  std::abort();
#endif
}

}  // namespace posenc::detail

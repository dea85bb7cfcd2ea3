// SPDX-License-Identifier: Apache-2.0
// More parts of C++20 for C++17, which no public declaration needs.
namespace posenc::cpp20 {

template <class T>
constexpr int countr_zero(T x) {
  static_assert(std::is_unsigned_v<T>);
  return x == 0 ? 8 * static_cast<int>(sizeof(T)) : __builtin_ctzll(x);
}
enum class endian { little = __ORDER_LITTLE_ENDIAN__, big = __ORDER_BIG_ENDIAN__, native = __BYTE_ORDER__ };

template <class Range>
constexpr std::ptrdiff_t ssize(const Range& range) {
  return static_cast<std::ptrdiff_t>(std::size(range));
}
template <class T>
std::unique_ptr<T> make_unique_for_overwrite(std::size_t size) {
  return std::unique_ptr<T>(new std::remove_extent_t<T>[size]);
}

/// An integer that threads count with, by acquire and release.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& of) : of_(&of) {}
  T fetch_add(T n, std::memory_order) const { return __atomic_fetch_add(of_, n, __ATOMIC_ACQ_REL); }
  T fetch_sub(T n, std::memory_order) const { return __atomic_fetch_sub(of_, n, __ATOMIC_ACQ_REL); }

 private:
  T* of_;
};

template <class Is>
auto not_fn(const Is& is) {
  return [is](const auto& each) { return !is(each); };
}

/// Algorithms over a whole range; a projection is a member of an element.
namespace ranges {

struct greater {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a > b;
  }
};
template <class Projection, class T>
auto projected(const Projection& of, const T& element) {
  if constexpr (std::is_member_object_pointer_v<Projection>) {
    return element.*of;
  } else {
    return of(element);
  }
}

template <class Range, class Is>
bool any_of(Range&& range, const Is& is) {
  return std::any_of(std::begin(range), std::end(range), is);
}
template <class Range, class Is>
bool all_of(Range&& range, const Is& is) {
  return std::all_of(std::begin(range), std::end(range), is);
}
template <class Range, class Is>
bool none_of(Range&& range, const Is& is) {
  return std::none_of(std::begin(range), std::end(range), is);
}
template <class Range, class T, class Projection>
auto find(Range&& range, const T& value, const Projection& of) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](const auto& each) { return projected(of, each) == value; });
}
template <class Range, class Is>
auto find_if(Range&& range, const Is& is) {
  return std::find_if(std::begin(range), std::end(range), is);
}
template <class Range, class Out, class Is>
Out copy_if(Range&& range, Out out, const Is& is) {
  return std::copy_if(std::begin(range), std::end(range), out, is);
}
template <class Range, class Less, class Projection>
void sort(Range&& range, const Less& less, const Projection& of) {
  std::sort(std::begin(range), std::end(range),
            [&](const auto& a, const auto& b) { return less(projected(of, a), projected(of, b)); });
}

}  // namespace ranges
}  // namespace posenc::cpp20

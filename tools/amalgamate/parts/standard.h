// SPDX-License-Identifier: Apache-2.0
// Parts of C++20 for C++17. They mean the same under every standard, so that programs of several standards can link one
// copy.
namespace posenc::cpp20 {

/// A span of any number of elements.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr span() = default;
  constexpr span(T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr span(T* begin, T* end) : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  template <std::size_t size>
  constexpr span(T (&array)[size]) : data_(array), size_(size) {}
  /// A span over any contiguous range: a vector, an array, another span.
  template <class Range, class Data = decltype(std::data(std::declval<Range&>())),
            std::enable_if_t<std::is_convertible_v<std::remove_pointer_t<Data> (*)[], T (*)[]> &&
                                 !std::is_same_v<std::remove_cv_t<Range>, span> && !std::is_array_v<Range> &&
                                 (std::is_const_v<T> || !std::is_same_v<Range, std::initializer_list<value_type>>),
                             int> = 0>
  constexpr span(Range&& range) : data_(std::data(range)), size_(std::size(range)) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr span first(std::size_t count) const { return {data_, count}; }
  constexpr span last(std::size_t count) const { return {data_ + (size_ - count), count}; }
  constexpr span subspan(std::size_t offset) const { return {data_ + offset, size_ - offset}; }
  constexpr span subspan(std::size_t offset, std::size_t count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T>
span(T*, std::size_t) -> span<T>;
template <class T>
span(T*, T*) -> span<T>;
template <class T, std::size_t size>
span(T (&)[size]) -> span<T>;
template <class Range>
span(Range&& range) -> span<std::remove_pointer_t<decltype(std::data(range))>>;

template <class To, class From>
constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
template <class T>
constexpr int countl_zero(T x) {
  static_assert(std::is_unsigned_v<T>);
  constexpr int bits = 8 * static_cast<int>(sizeof(T));
  return x == 0 ? bits : __builtin_clzll(x) - (64 - bits);
}

template <class T>
inline constexpr bool integral = std::is_integral_v<T>;
template <class T>
inline constexpr bool unsigned_integral = std::is_integral_v<T> && std::is_unsigned_v<T>;
template <class T>
inline constexpr bool signed_integral = std::is_integral_v<T> && std::is_signed_v<T>;
template <class T>
inline constexpr bool floating_point = std::is_floating_point_v<T>;

}  // namespace posenc::cpp20

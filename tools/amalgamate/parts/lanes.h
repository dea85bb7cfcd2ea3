// SPDX-License-Identifier: Apache-2.0
// Lanes of a vector by the vector types of GCC and clang: what the kernels ask of Highway in the library, under the
// same names. A vector has `lane_bytes` bytes, those of AVX2 where the CPU has it, else 16.
namespace posenc::engine::POSENC_LANES {
namespace hn {

template <class T, std::size_t N>
struct Simd {
  using Lane = T;
  static constexpr std::size_t lanes = N;
  typedef T Raw __attribute__((vector_size(N * sizeof(T))));
};
/// The bits of f16.
enum class float16_t : std::uint16_t {};
template <std::size_t N>
struct Simd<float16_t, N> {
  using Lane = float16_t;
  static constexpr std::size_t lanes = N;
  typedef std::uint16_t Raw __attribute__((vector_size(2 * N)));
};
template <class T>
using ScalableTag = Simd<T, lane_bytes / sizeof(T)>;
template <class T, class D>
using Rebind = Simd<T, D::lanes>;
template <class T, class D>
using Repartition = Simd<T, D::lanes * sizeof(typename D::Lane) / sizeof(T)>;

template <std::size_t bytes>
struct Integers;
template <>
struct Integers<2> {
  using Unsigned = std::uint16_t;
  using Signed = std::int16_t;
};
template <>
struct Integers<4> {
  using Unsigned = std::uint32_t;
  using Signed = std::int32_t;
};
template <>
struct Integers<8> {
  using Unsigned = std::uint64_t;
  using Signed = std::int64_t;
};
template <class D>
using RebindToUnsigned = Rebind<typename Integers<sizeof(typename D::Lane)>::Unsigned, D>;
template <class D>
using RebindToSigned = Rebind<typename Integers<sizeof(typename D::Lane)>::Signed, D>;
template <class D>
using TFromD = typename D::Lane;

/// A vector: a class, since those of the compiler are no template arguments of functions.
template <class D>
struct VecOf {
  using Tag = D;
  typename D::Raw raw;
};
/// All bits of a lane, or none.
template <class D>
struct MaskOf {
  typename RebindToSigned<D>::Raw raw;
};

template <class D>
using Vec = VecOf<std::remove_cv_t<D>>;
template <class D>
using Mask = MaskOf<std::remove_cv_t<D>>;

template <class D>
constexpr std::size_t Lanes(D) {
  return D::lanes;
}
template <class D>
constexpr std::size_t MaxLanes(D) {
  return D::lanes;
}

// ---- memory ----------------------------------------------------------------------------------------

template <class D>
POSENC_LANES_INLINE VecOf<D> Set(D, typename D::Lane value) {
  return {value - typename D::Raw{}};  // less 0, so that a -0 stays one
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Zero(D) {
  return {typename D::Raw{}};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> LoadU(D, const typename D::Lane* from) {
  VecOf<D> v;
  std::memcpy(&v.raw, from, sizeof v.raw);
  return v;
}
template <class D>
POSENC_LANES_INLINE void StoreU(VecOf<D> v, D, typename D::Lane* to) {
  std::memcpy(to, &v.raw, sizeof v.raw);
}
template <class To, class D>
POSENC_LANES_INLINE VecOf<To> BitCast(To, VecOf<D> v) {
  static_assert(sizeof(typename To::Raw) == sizeof(typename D::Raw));
  return {reinterpret_cast<typename To::Raw>(v.raw)};
}

// ---- arithmetic ------------------------------------------------------------------------------------

template <class D>
POSENC_LANES_INLINE VecOf<D> Add(VecOf<D> a, VecOf<D> b) {
  return {a.raw + b.raw};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Sub(VecOf<D> a, VecOf<D> b) {
  return {a.raw - b.raw};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Mul(VecOf<D> a, VecOf<D> b) {
  return {a.raw * b.raw};
}
/// a b + c, the product rounded.
template <class D>
POSENC_LANES_INLINE VecOf<D> MulAdd(VecOf<D> a, VecOf<D> b, VecOf<D> c) {
  return {a.raw * b.raw + c.raw};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Min(VecOf<D> a, VecOf<D> b) {
  return {a.raw < b.raw ? a.raw : b.raw};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Max(VecOf<D> a, VecOf<D> b) {
  return {a.raw > b.raw ? a.raw : b.raw};
}

// ---- bits ------------------------------------------------------------------------------------------

template <class D, class Operation>
POSENC_LANES_INLINE VecOf<D> OnBits(VecOf<D> a, VecOf<D> b, const Operation& operation) {
  const RebindToUnsigned<D> bits;
  return BitCast(D(), VecOf<RebindToUnsigned<D>>{operation(BitCast(bits, a).raw, BitCast(bits, b).raw)});
}
template <class D>
POSENC_LANES_INLINE VecOf<D> And(VecOf<D> a, VecOf<D> b) {
  return OnBits(a, b, [](auto x, auto y) POSENC_LANES_ATTRIBUTE { return x & y; });
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Or(VecOf<D> a, VecOf<D> b) {
  return OnBits(a, b, [](auto x, auto y) POSENC_LANES_ATTRIBUTE { return x | y; });
}
template <class D>
POSENC_LANES_INLINE VecOf<D> Xor(VecOf<D> a, VecOf<D> b) {
  return OnBits(a, b, [](auto x, auto y) POSENC_LANES_ATTRIBUTE { return x ^ y; });
}
template <int bits, class D>
POSENC_LANES_INLINE VecOf<D> ShiftLeft(VecOf<D> v) {
  return {v.raw << bits};
}
template <int bits, class D>
POSENC_LANES_INLINE VecOf<D> ShiftRight(VecOf<D> v) {
  return {v.raw >> bits};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> ShiftLeftSame(VecOf<D> v, int bits) {
  return {v.raw << static_cast<typename D::Lane>(bits)};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> ShiftRightSame(VecOf<D> v, int bits) {
  return {v.raw >> static_cast<typename D::Lane>(bits)};
}

// ---- masks -----------------------------------------------------------------------------------------

template <class D>
POSENC_LANES_INLINE MaskOf<D> Eq(VecOf<D> a, VecOf<D> b) {
  return {a.raw == b.raw};
}
template <class D>
POSENC_LANES_INLINE MaskOf<D> Ne(VecOf<D> a, VecOf<D> b) {
  return {a.raw != b.raw};
}
template <class D>
POSENC_LANES_INLINE MaskOf<D> Lt(VecOf<D> a, VecOf<D> b) {
  return {a.raw < b.raw};
}
template <class D>
POSENC_LANES_INLINE MaskOf<D> Gt(VecOf<D> a, VecOf<D> b) {
  return {a.raw > b.raw};
}
template <class D>
POSENC_LANES_INLINE MaskOf<D> TestBit(VecOf<D> v, VecOf<D> bit) {
  return {(v.raw & bit.raw) != 0};
}
template <class To, class D>
POSENC_LANES_INLINE MaskOf<To> RebindMask(To, MaskOf<D> mask) {
  return {mask.raw};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> VecFromMask(D, MaskOf<D> mask) {
  return {reinterpret_cast<typename D::Raw>(mask.raw)};
}
template <class D>
POSENC_LANES_INLINE MaskOf<D> MaskFromVec(VecOf<D> v) {
  return {reinterpret_cast<typename RebindToSigned<D>::Raw>(v.raw)};
}
template <class D>
POSENC_LANES_INLINE VecOf<D> IfThenElse(MaskOf<D> mask, VecOf<D> a, VecOf<D> b) {
  return {mask.raw ? a.raw : b.raw};
}
template <class D>
POSENC_LANES_INLINE bool AllFalse(D, MaskOf<D> mask) {
  std::uint64_t words[sizeof mask.raw / 8], any = 0;
  std::memcpy(words, &mask.raw, sizeof words);
  for (const std::uint64_t word : words) any |= word;
  return any == 0;
}
/// A bit a lane, the first one lowest.
template <class D>
POSENC_LANES_INLINE void StoreMaskBits(D, MaskOf<D> mask, std::uint8_t* bits) {
  for (std::size_t i = 0; i < D::lanes; ++i) {
    if (mask.raw[i] != 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1 << i % 8);
  }
}

// ---- order of lanes --------------------------------------------------------------------------------

template <std::size_t... i, class Raw>
POSENC_LANES_INLINE auto Shuffled(Raw a, Raw b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, i...);
#else
  typedef typename Integers<sizeof(a[0])>::Signed Places __attribute__((vector_size(sizeof(Raw))));
  return __builtin_shuffle(a, b, Places{i...});
#endif
}
template <class D, std::size_t... i>
POSENC_LANES_INLINE VecOf<D> EveryOther(VecOf<D> a, VecOf<D> b, std::size_t, std::index_sequence<i...>) {
  return {Shuffled<2 * i...>(a.raw, b.raw)};
}
template <class D, std::size_t... i>
POSENC_LANES_INLINE VecOf<D> EveryOtherOdd(VecOf<D> a, VecOf<D> b, std::index_sequence<i...>) {
  return {Shuffled<(2 * i + 1)...>(a.raw, b.raw)};
}
/// a_0 b_0 a_1 b_1 .. from lane `first` on.
template <std::size_t first, class D, std::size_t... i>
POSENC_LANES_INLINE VecOf<D> Interleaved(VecOf<D> a, VecOf<D> b, std::index_sequence<i...>) {
  return {Shuffled<(first + i / 2 + i % 2 * D::lanes)...>(a.raw, b.raw)};
}
template <class D>
using LaneNumbers = std::make_index_sequence<D::lanes>;

/// The even lanes of `low`, then those of `high`.
template <class D>
POSENC_LANES_INLINE VecOf<D> ConcatEven(D, VecOf<D> high, VecOf<D> low) {
  return EveryOther(low, high, 0, LaneNumbers<D>());
}
template <class D>
POSENC_LANES_INLINE VecOf<D> ConcatOdd(D, VecOf<D> high, VecOf<D> low) {
  return EveryOtherOdd(low, high, LaneNumbers<D>());
}
template <class D>
POSENC_LANES_INLINE void LoadInterleaved2(D d, const typename D::Lane* from, VecOf<D>& a, VecOf<D>& b) {
  const VecOf<D> low = LoadU(d, from), high = LoadU(d, from + D::lanes);
  a = ConcatEven(d, high, low), b = ConcatOdd(d, high, low);
}
template <class D>
POSENC_LANES_INLINE void StoreInterleaved2(VecOf<D> a, VecOf<D> b, D d, typename D::Lane* to) {
  StoreU(Interleaved<0>(a, b, LaneNumbers<D>()), d, to);
  StoreU(Interleaved<D::lanes / 2>(a, b, LaneNumbers<D>()), d, to + D::lanes);
}
template <class D, class H>
POSENC_LANES_INLINE VecOf<D> Combine(D, VecOf<H> high, VecOf<H> low) {
  VecOf<D> v;
  std::memcpy(&v.raw, &low.raw, sizeof low.raw);
  std::memcpy(reinterpret_cast<char*>(&v.raw) + sizeof low.raw, &high.raw, sizeof high.raw);
  return v;
}
/// The odd lanes of `odd`, the even ones of `even`.
template <class D>
POSENC_LANES_INLINE VecOf<D> OddEven(VecOf<D> odd, VecOf<D> even) {
  using Words = Simd<std::uint32_t, D::lanes / 2>;
  static_assert(sizeof(typename D::Lane) == 2);
  constexpr std::uint32_t low = std::endian::native == std::endian::little ? 0xFFFFu : 0xFFFF0000u;
  const Words words;
  return BitCast(D(), VecOf<Words>{(BitCast(words, even).raw & low) | (BitCast(words, odd).raw & ~low)});
}

template <class D, class Both>
POSENC_LANES_INLINE VecOf<D> LowerHalf(D, VecOf<Both> v) {
  VecOf<D> half;
  std::memcpy(&half.raw, &v.raw, sizeof half.raw);
  return half;
}
template <class D, class Both>
POSENC_LANES_INLINE VecOf<D> UpperHalf(D, VecOf<Both> v) {
  VecOf<D> half;
  std::memcpy(&half.raw, reinterpret_cast<const char*>(&v.raw) + sizeof half.raw, sizeof half.raw);
  return half;
}

// ---- other types -----------------------------------------------------------------------------------

template <class To, class D>
POSENC_LANES_INLINE VecOf<To> Converted(To, VecOf<D> v) {
  return {__builtin_convertvector(v.raw, typename To::Raw)};
}
template <class To, class D>
POSENC_LANES_INLINE VecOf<To> PromoteTo(To to, VecOf<D> v) {
  return Converted(to, v);
}
template <class To, class D>
POSENC_LANES_INLINE VecOf<To> DemoteTo(To to, VecOf<D> v) {
  return Converted(to, v);
}
#if POSENC_LANES_AVX2
POSENC_LANES_INLINE VecOf<Simd<float, 8>> PromoteTo(Simd<float, 8>, VecOf<Simd<float16_t, 8>> v) {
  return {__builtin_ia32_vcvtph2ps256(reinterpret_cast<Simd<short, 8>::Raw>(v.raw))};
}
POSENC_LANES_INLINE VecOf<Simd<float16_t, 8>> DemoteTo(Simd<float16_t, 8>, VecOf<Simd<float, 8>> v) {
  constexpr int to_nearest = 0;
  return {reinterpret_cast<Simd<float16_t, 8>::Raw>(__builtin_ia32_vcvtps2ph256(v.raw, to_nearest))};
}
#endif
/// The lower bits.
template <class To, class D>
POSENC_LANES_INLINE VecOf<To> TruncateTo(To to, VecOf<D> v) {
  return Converted(to, v);
}
/// RN of whole numbers. Halves of 32 bits stand in doubles without an error, and one sum rounds; no instruction of AVX2
/// converts 64 bits.
template <class D, class I>
POSENC_LANES_INLINE VecOf<D> ConvertTo(D d, VecOf<I> v) {
  using Bits = RebindToUnsigned<D>;
  const Bits bits;
  const VecOf<Bits> all = BitCast(bits, v);
  const VecOf<D> low = BitCast(d, Or(And(all, Set(bits, 0xFFFFFFFFu)), BitCast(bits, Set(d, 0x1p52))));
  const VecOf<D> high = BitCast(d, Xor(ShiftRight<32>(all), BitCast(bits, Set(d, 0x1.0000080000000p84))));
  return Add(Sub(high, Set(d, 0x1.0000080100000p84)), low);
}
/// Products of lanes below 2^32. GCC does not see that one instruction of x86 makes them.
#if defined(__SSE2__) && !defined(__clang__)
POSENC_LANES_INLINE VecOf<Simd<std::uint64_t, 2>> ProductOfWords(VecOf<Simd<std::uint64_t, 2>> a,
                                                                 VecOf<Simd<std::uint64_t, 2>> b) {
  using Words = Simd<int, 4>::Raw;
  return {reinterpret_cast<Simd<std::uint64_t, 2>::Raw>(
      __builtin_ia32_pmuludq128(reinterpret_cast<Words>(a.raw), reinterpret_cast<Words>(b.raw)))};
}
#endif
#if POSENC_LANES_AVX2 && !defined(__clang__)
POSENC_LANES_INLINE VecOf<Simd<std::uint64_t, 4>> ProductOfWords(VecOf<Simd<std::uint64_t, 4>> a,
                                                                 VecOf<Simd<std::uint64_t, 4>> b) {
  using Words = Simd<int, 8>::Raw;
  return {reinterpret_cast<Simd<std::uint64_t, 4>::Raw>(
      __builtin_ia32_pmuludq256(reinterpret_cast<Words>(a.raw), reinterpret_cast<Words>(b.raw)))};
}
#endif
template <class D>
POSENC_LANES_INLINE VecOf<D> ProductOfWords(VecOf<D> a, VecOf<D> b) {
  return {(a.raw & 0xFFFFFFFFu) * (b.raw & 0xFFFFFFFFu)};
}
/// The products of the even lanes, in full.
template <class D>
POSENC_LANES_INLINE VecOf<Simd<std::uint64_t, D::lanes / 2>> MulEven(VecOf<D> a, VecOf<D> b) {
  using Wide = Simd<std::uint64_t, D::lanes / 2>;
  const Wide wide;
  return ProductOfWords(BitCast(wide, a), BitCast(wide, b));
}
/// (a + b + 1) / 2 of 16 bits, rounded down.
#if POSENC_LANES_AVX2 && !defined(__clang__)
POSENC_LANES_INLINE VecOf<Simd<std::uint16_t, 16>> AverageRound(VecOf<Simd<std::uint16_t, 16>> a,
                                                                VecOf<Simd<std::uint16_t, 16>> b) {
  using Words = Simd<short, 16>::Raw;
  return {reinterpret_cast<Simd<std::uint16_t, 16>::Raw>(
      __builtin_ia32_pavgw256(reinterpret_cast<Words>(a.raw), reinterpret_cast<Words>(b.raw)))};
}
#endif
template <class D>
POSENC_LANES_INLINE VecOf<D> AverageRound(VecOf<D> a, VecOf<D> b) {
  return {(a.raw | b.raw) - ((a.raw ^ b.raw) >> 1)};
}

}  // namespace hn
}  // namespace posenc::engine::POSENC_LANES

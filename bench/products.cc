// SPDX-License-Identifier: Apache-2.0
// Times products of matrices by one library, for bench/products.sh: rows, columns, inner size, GFLOP/s, microseconds.
#include <chrono>
#include <cstdio>
#include <vector>

#if defined(POSENC_ONEDNN)
#include <dnnl.h>
#else
extern "C" void cblas_sgemm(int order, int left, int right, int rows, int columns, int inner, float scale,
                            const float* a, int a_stride, const float* b, int b_stride, float keep, float* out,
                            int out_stride);
#endif

namespace {

struct Size {
  int rows, columns, inner;
};

// out = a b^T, row-major.
void product(const Size& s, const float* a, const float* b, float* out) {
#if defined(POSENC_ONEDNN)
  dnnl_sgemm('N', 'T', s.rows, s.columns, s.inner, 1, a, s.inner, b, s.inner, 0, out, s.columns);
#else
  constexpr int row_major = 101, as_it_is = 111, transposed = 112;
  cblas_sgemm(row_major, as_it_is, transposed, s.rows, s.columns, s.inner, 1, a, s.inner, b, s.inner, 0, out,
              s.columns);
#endif
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  for (const Size& s : {Size{256, 512, 64}, Size{1500, 384, 384}, Size{1500, 1536, 384}, Size{12, 64, 64},
                        Size{1, 384, 384}, Size{1, 64, 64}}) {
    const double work = 2.0 * s.rows * s.columns * s.inner;
    const auto of = [](int x, int y) {
      return std::vector<float>(static_cast<std::size_t>(x) * static_cast<std::size_t>(y), 0.5f);
    };
    const std::vector<float> a = of(s.rows, s.inner), b = of(s.columns, s.inner);
    std::vector<float> out = of(s.rows, s.columns);
    const int passes = 1 + static_cast<int>(1e8 / (work + 1e4));
    double best = 1e9;
    for (int round = 0; round < 9; ++round) {
      const auto start = Clock::now();
      for (int i = 0; i < passes; ++i) product(s, a.data(), b.data(), out.data());
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count() / passes;
      if (round > 0 && seconds < best) best = seconds;
    }
    std::printf("  %5d x %4d by %4d  %7.1f GFLOP/s  %9.2f us\n", s.rows, s.inner, s.columns, work / best * 1e-9,
                best * 1e6);
  }
}

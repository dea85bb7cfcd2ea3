// SPDX-License-Identifier: Apache-2.0
// Rows of one axis: the library's Rows without cells and coordinates.
namespace posenc {

/// Waves of one axis made ready for one width: any positions, no length limit, no stored table. Immutable; copies share
/// what they hold; const use from many threads is safe. Each call has the formula, accuracy and errors of sinusoid.
class Rows {
 public:
  Rows(const Convention& convention, std::int64_t dim, const Options& options = {})
      : Rows((require(check(convention, dim, options)), convention), dim, options, Checked{}) {}
  [[nodiscard]] static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                    const Options& options = {});
  /// Columns of a row.
  std::int64_t width() const;
  const std::vector<std::string>& axes() const;
  /// The angular frequencies w_k, each rounded once to f64.
  std::vector<double> frequencies(const Executor& executor = serial) const {
    require(check_frequencies());
    return frequencies_checked(executor);
  }
  [[nodiscard]] std::optional<Problem> check_frequencies() const;
  void write(const Positions& positions, const View& out, const Executor& executor = serial,
             Reading reading = Reading::by_size) const {
    require(check_write(positions, out, reading));
    require(write_checked(positions, out, executor, reading));
  }
  [[nodiscard]] std::optional<Problem> check_write(const Positions& positions, const View& out,
                                                   Reading reading = Reading::by_size) const {
    return check_write(cpp20::span(&positions, 1), out, reading);
  }
  [[nodiscard]] std::optional<Problem> check_write(cpp20::span<const Positions> coordinates, const View& out,
                                                   Reading reading = Reading::by_size) const;
  /// out = RN(in + RN(row)); `in` may be `out` itself, of the same shape and type.
  void add(const Positions& positions, const ConstView& in, const View& out, const Executor& executor = serial) const {
    require(check_add(positions, in, out));
    require(add_checked(positions, in, out, executor));
  }
  [[nodiscard]] std::optional<Problem> check_add(const Positions& positions, const ConstView& in,
                                                 const View& out) const;
  /// For callers that have called the check. The problem of an entry that is not settled, or nothing.
  [[nodiscard]] std::optional<Problem> write_checked(const Positions& positions, const View& out,
                                                     const Executor& executor,
                                                     Reading reading = Reading::by_size) const;
  [[nodiscard]] std::optional<Problem> add_checked(const Positions& positions, const ConstView& in, const View& out,
                                                   const Executor& executor) const;

  struct Ready;  // of this file
  const Ready& ready() const { return *ready_; }

 private:
  struct Checked {};
  Rows(const Convention& convention, std::int64_t dim, const Options& options, Checked);
  std::vector<double> frequencies_checked(const Executor& executor) const;
  detail::Shared<Ready> ready_;
};

}  // namespace posenc

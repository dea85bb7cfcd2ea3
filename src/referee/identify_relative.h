// SPDX-License-Identifier: Apache-2.0
// What attention reads besides rows and rotations: classes of pairs, slopes, biases, factors of queries, coordinates of
// pairs under a logarithm.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc::referee {

/// What a tensor of one of these kinds holds, by its type and shape; no candidate where it is another one.
Identification identify_relative(const ConstView& tensor, const IdentifyOptions& options);

/// Candidates of each kind: all that match within tolerance, as check has it, and that the entries cannot distinguish.
std::vector<Candidate> class_candidates(const ConstView& tensor);
std::vector<Candidate> bias_candidates(const ConstView& tensor, const IdentifyOptions& options);
std::vector<Candidate> query_scale_candidates(const ConstView& tensor, const IdentifyOptions& options);
std::vector<Candidate> log_coordinate_candidates(const ConstView& tensor);

/// Of candidates of one tensor those that its entries do not tell apart, the best first.
std::vector<Candidate> indistinct(std::vector<Candidate> candidates);

/// The real slopes of heads, each rounded to f64; none where the convention has none. `head`: its columns.
std::vector<double> slopes_of(const Convention& convention, std::int64_t heads, std::int64_t head);

/// The tensor without axes of size 1 in front, as long as it has more than `least` axes.
ConstView without_front(const ConstView& tensor, int least);

}  // namespace posenc::referee

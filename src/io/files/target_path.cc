// SPDX-License-Identifier: Apache-2.0
// Symbolic links followed by hand, as the kernel follows none to a file that is not there.
#include "src/io/files/target_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "src/io/files/descriptor.h"

namespace posenc::io {
namespace {

Place split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// Not there, as opposed to out of reach: who opens such a path tells why.
bool missing(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

Place place_of(std::string_view operation, const std::string& path) {
  constexpr std::string_view rule = "the path must lead to a file";
  constexpr int most_links = 40;  // as Linux
  std::string at = path;
  for (int links = 0; links <= most_links; ++links) {
    std::string link(4096, '\0');
    const ssize_t size = ::readlink(at.c_str(), link.data(), link.size());
    if (size < 0 && (errno == EINVAL || errno == ENOENT)) return split(at);
    if (size < 0) fail_with(operation, rule, path, errno);
    if (static_cast<std::size_t>(size) == link.size()) fail_with(operation, rule, path, ENAMETOOLONG);
    link.resize(static_cast<std::size_t>(size));
    at = link.starts_with('/') ? link : split(at).folder + "/" + link;
  }
  fail_with(operation, rule, path, ELOOP);
}

bool same_file(const std::string& a, const std::string& b) {
  require_path("same_file", a);
  require_path("same_file", b);
  const std::optional<struct stat> file_a = status_of(a), file_b = status_of(b);
  if (file_a || file_b) return file_a && file_b && same(*file_a, *file_b);
  if (!missing(a) || !missing(b)) return a == b;
  const Place place_a = place_of("same_file", a), place_b = place_of("same_file", b);
  const std::optional<struct stat> folder_a = status_of(place_a.folder), folder_b = status_of(place_b.folder);
  return place_a.name == place_b.name && folder_a && folder_b && same(*folder_a, *folder_b);
}

}  // namespace posenc::io

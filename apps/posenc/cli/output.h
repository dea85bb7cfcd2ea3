// SPDX-License-Identifier: Apache-2.0
// What leaves the tool besides tables: standard output, notes, pictures; and whether a size fits this machine.
#pragma once

#include <posenc/io/file.h>

#include <memory>
#include <vector>

namespace posenc::tool {

/// Where a standard descriptor is closed, puts something in its place that fails like it, so that no file of ours gets
/// its number.
void hold_standard_descriptors();
/// All of the text to standard output, or an Error whose cause is the system.
void put(std::string_view text);
/// Whether standard output is a terminal.
bool on_terminal();
/// One line to standard error.
void note(std::string_view text);

/// Files of one call that have all their bytes and not yet their names.
using Files = std::vector<std::unique_ptr<io::FileWriter>>;
/// Adds one; "-" is standard output, which has no name to get.
void prepare(Files& files, const std::string& path, std::string_view bytes, const io::WriteOptions& options);
/// Gives them their names, after `first` where there is one: one that cannot be written leaves all as they were.
void commit(const Files& files, io::FileWriter* first = nullptr);

/// Bytes of rows * columns elements; more than an int64 counts is an error.
std::int64_t bytes_of(std::string_view operation, std::int64_t rows, std::int64_t columns, DType type);
/// What the process had at most and may have, for when it gets no more: "no more than 96.2 MiB of 117.2 MiB".
std::string memory_words();
/// `bytes` fit in the memory of this machine; an Error whose cause is the system otherwise.
void check_memory(std::string_view operation, std::int64_t bytes);
/// `bytes` fit in the free space of the folder that the file goes to; an Error whose cause is the system otherwise.
void check_space(std::string_view operation, std::int64_t bytes, const std::string& path);

}  // namespace posenc::tool

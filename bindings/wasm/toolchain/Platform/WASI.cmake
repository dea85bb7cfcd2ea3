# SPDX-License-Identifier: Apache-2.0
# What CMake asks of a system that it does not know: nothing is special.

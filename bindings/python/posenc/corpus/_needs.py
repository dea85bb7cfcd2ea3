# SPDX-License-Identifier: Apache-2.0
"""What must be installed before the other modules here can be imported."""

from .._extras import expect_pyarrow

expect_pyarrow("corpus")

# SPDX-License-Identifier: GPL-2.0-only
"""Tools that prepare a kernel tree with the series, run the suites and judge the result."""

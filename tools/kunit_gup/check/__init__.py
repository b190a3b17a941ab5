# SPDX-License-Identifier: GPL-2.0-only
"""What `make check` has beside the suites, and each part of it alone."""

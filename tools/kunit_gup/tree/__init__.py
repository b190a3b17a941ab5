# SPDX-License-Identifier: GPL-2.0-only
"""The kernel tree: its source, the series, and our own files in it."""

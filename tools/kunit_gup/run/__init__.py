# SPDX-License-Identifier: GPL-2.0-only
"""Build kernels, run them, and judge what they say."""

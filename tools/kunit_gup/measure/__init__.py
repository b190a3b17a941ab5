# SPDX-License-Identifier: GPL-2.0-only
"""What a page costs, before and after the series."""

# SPDX-License-Identifier: GPL-2.0-only
"""What every part of the tools needs."""

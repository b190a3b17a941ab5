# SPDX-License-Identifier: GPL-2.0-only
"""The series as mails, and jobs and results for others."""

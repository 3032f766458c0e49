"""The main job's answer for one folder, as a value, as one HTML page and as plain data.

`build_report` asks every room below and gathers a `Report`; `page` draws it. The page is drawn from the
report alone, so that the same report gives the same bytes.
"""

from __future__ import annotations

from tohlab.report.answers import replay
from tohlab.report.build import build_report
from tohlab.report.html import page, write_html
from tohlab.report.model import Report

__all__ = ["Report", "build_report", "page", "replay", "write_html"]

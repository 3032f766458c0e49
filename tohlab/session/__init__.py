"""A conversation: where the next request comes from, and what it keeps in mind."""

from __future__ import annotations

from tohlab.session.log import Event
from tohlab.session.session import Break, Session, Step

__all__ = ["Break", "Event", "Session", "Step"]

"""Exactly what a model is sent: tools, system text and messages; and the bodies of APIs that hold it."""

from __future__ import annotations

from tohlab.request.body import READ, Body, Breakpoint, read_body
from tohlab.request.values import (
    BlockKind,
    Message,
    Request,
    Role,
    Segment,
    Span,
    TextBlock,
    ToolCall,
    ToolSchema,
    text_message,
)

__all__ = [
    "READ",
    "BlockKind",
    "Body",
    "Breakpoint",
    "Message",
    "Request",
    "Role",
    "Segment",
    "Span",
    "TextBlock",
    "ToolCall",
    "ToolSchema",
    "read_body",
    "text_message",
]

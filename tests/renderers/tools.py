"""Tools that the tests write out: a flat one, and one whose schema is three levels deep."""

from __future__ import annotations

from tohlab.request import ToolSchema

WEATHER = ToolSchema(
    name="get_current_weather",
    description="Get the current weather in a given location",
    parameters={
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "unit": {
                "type": "string",
                "description": "The unit of temperature to return",
                "enum": ["celsius", "fahrenheit"],
            },
        },
        "required": ["location"],
    },
)
"""The example of OpenAI's cookbook."""

ASK = ToolSchema(
    name="ask_user_question",
    description="Ask the user one or more multiple-choice questions and wait for the answers.",
    parameters={
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "description": "The questions, in the order in which they are asked.",
                "minItems": 1,
                "maxItems": 4,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string", "description": "The whole question."},
                        "header": {"type": "string", "description": "A short label.", "maxLength": 12},
                        "multiSelect": {"type": "boolean", "default": False},
                        "options": {
                            "type": "array",
                            "minItems": 2,
                            "items": {
                                "type": "object",
                                "properties": {
                                    "label": {"type": "string", "description": "What the user picks."},
                                    "description": {"type": "string", "description": "What it means."},
                                },
                                "required": ["label", "description"],
                            },
                        },
                    },
                    "required": ["question", "header", "options"],
                },
            }
        },
        "required": ["questions"],
    },
)

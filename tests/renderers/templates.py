"""Chat templates of the kinds that models ship with, written for the tests."""

from __future__ import annotations

from typing import Final

TURNS: Final = """\
{%- for m in messages %}
{%- if m.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}
{%- elif m.tool_calls %}{{ '<|im_start|>assistant\\n' }}
{%- for c in m.tool_calls %}{{ '<tool_call>' + (c.function | tojson) + '</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- else %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

TOOLS_FIRST: Final = (
    "{%- if tools %}<|im_start|>tools\n"
    "{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}" + TURNS
)
"""As Qwen3.5, GLM and Kimi: tools before the system text."""

TOOLS_LAST: Final = """\
{%- for m in messages %}
{%- if m.role == 'user' and tools and loop.index0 == (messages | map(attribute='role') | list | length)
    - 1 - ((messages | map(attribute='role') | list)[::-1]).index('user') %}
{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}
{%- endif %}
{%- if m.tool_calls %}{{ '[CALLS]' + (m.tool_calls | tojson) }}
{%- else %}{{ '[' + m.role + ']' + m.content }}{% endif %}
{%- endfor %}"""
"""As Mistral-Nemo and Mistral-Small: tools before the last user message."""

THINKS: Final = """\
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\\n' }}
{%- set content = m.content or '' %}
{%- if m.role == 'assistant' %}
{%- set reasoning = m.reasoning_content or '' %}
{%- if '</think>' in content %}
{%- set reasoning = content.split('</think>')[0].split('<think>')[-1].strip() %}
{%- set content = content.split('</think>')[-1].lstrip() %}
{%- endif %}
{%- if reasoning and loop.index0 > ns.last %}{{ '<think>\\n' + reasoning + '\\n</think>\\n\\n' }}{% endif %}
{%- endif %}
{{- content | trim }}
{%- for c in m.tool_calls or [] %}{{ '<tool_call>' + (c.function | tojson) + '</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"""
"""As Qwen3, GLM-4.6 and MiniMax: old reasoning is stripped once a new user turn begins."""

DATED: Final = "Today Date: {{ strftime_now('%d %B %Y') }}\n" + TOOLS_FIRST
"""As gpt-oss, Llama-3.2 and Granite: the date is in front."""

INDENTED: Final = """\
{%- for t in tools or [] %}{{ t.function.description }}
{{ t | tojson(indent=4) }}
{% endfor %}
{%- for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}
{% endfor %}"""
"""As Llama-3: tools as indented JSON; and the tag that marks what the model wrote."""

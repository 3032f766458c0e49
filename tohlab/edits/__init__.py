"""What an edit costs: to the skills, the tools, the system text or the conversation, in any cache.

`what_edits_cost` says what one skill's change does to what is sent, in TheOpen Harness. `edit_costs` sets
edits by caches by harnesses side by side on one session, with money: a `Scene` is that session, from a folder
of skills (`harness_scene`) or from a file (`read_session`, `recorded_scene`).
"""

from __future__ import annotations

from tohlab.edits.conversation import Conversation
from tohlab.edits.costs import EditUse, edit_costs
from tohlab.edits.figure import EditGrid
from tohlab.edits.files import Recorded, read_session
from tohlab.edits.generated import long_conversation
from tohlab.edits.layout import harness_request
from tohlab.edits.names import ALL_EDITS, EditName
from tohlab.edits.plain import PLAIN
from tohlab.edits.scene import Exchange, Scene, harness_scene, recorded_scene
from tohlab.edits.sessions import SessionUse, session_use
from tohlab.edits.setups import SETUPS, TABLE, Setup, get_setups, setup_names
from tohlab.edits.skills import EDITS, Edit, EditCost, what_edits_cost

__all__ = [
    "ALL_EDITS",
    "EDITS",
    "PLAIN",
    "SETUPS",
    "TABLE",
    "Conversation",
    "Edit",
    "EditCost",
    "EditGrid",
    "EditName",
    "EditUse",
    "Exchange",
    "Recorded",
    "Scene",
    "SessionUse",
    "Setup",
    "edit_costs",
    "get_setups",
    "harness_request",
    "harness_scene",
    "long_conversation",
    "read_session",
    "recorded_scene",
    "session_use",
    "setup_names",
    "what_edits_cost",
]

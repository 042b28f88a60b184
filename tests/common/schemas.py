"""The schema of plan files, and every plan that a test writes, checked against it."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from graycube.planning import plan_schema

MOST = 1 << 15  # characters: the validator is slow, and files beyond have nothing new


@cache
def validator(definition=None):
    """That of a plan, or of something that plans have."""
    schema = json.loads(plan_schema())
    Draft202012Validator.check_schema(schema)
    if definition is not None:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


def checking(written):
    """The function that writes plans, whose texts must keep to the schema."""

    def plan_text(schedule, machine):
        text = written(schedule, machine)
        if len(text) <= MOST:
            validator().validate(json.loads(text))
        return text

    return plan_text

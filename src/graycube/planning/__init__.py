"""Plans: all candidates for a task, priced from their schedules, and the cheapest chosen."""

from graycube.planning.candidate import Candidate, cheapest
from graycube.planning.files import plan_schema
from graycube.planning.others import price
from graycube.planning.plan import Plan
from graycube.planning.planner import load_plan, plan, plan_butterfly, plan_fft
from graycube.planning.synthesize import certify, synthesize

__all__ = [
    "Candidate",
    "Plan",
    "certify",
    "cheapest",
    "load_plan",
    "plan",
    "plan_butterfly",
    "plan_fft",
    "plan_schema",
    "price",
    "synthesize",
]

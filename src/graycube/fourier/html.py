"""Plans for transforms as notebooks show them: the words of ``TransformPlan.explain``."""

from graycube.fourier.explain import HEAD, headlines, left_out, rows, verdict
from graycube.fourier.plan import TransformPlan
from graycube.layout.html import printed
from graycube.markup import Markup, card, card_of, figures, joined
from graycube.planning.html import reasons


@card_of.register(TransformPlan)
def transform_plan_card(made: TransformPlan) -> Markup:
    """The transform, the candidates with the chosen one marked, the bound and the gap."""
    table = list(rows(made))
    return card(
        repr(made).strip("<>"),
        " ".join(headlines(made)),
        joined(["in the layout ", printed(made.layout)]),
        figures(
            HEAD, table, "lrrrl", [k for k, row in enumerate(table) if row[-1] == "chosen"]
        ),
        reasons(left_out(made)),
        *verdict(made),
    )

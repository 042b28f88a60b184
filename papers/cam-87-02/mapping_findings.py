"""What a check of one of the paper's claims comes to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """In how many cases a claim was tried, in how many it failed, and which those are."""

    section: str
    claim: str
    cases: int
    exceptions: int
    remark: str = ""

    @property
    def row(self) -> tuple[str, ...]:
        """A line of ``claims.csv``."""
        return self.section, self.claim, str(self.cases), str(self.exceptions), self.remark

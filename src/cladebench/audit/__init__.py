"""Claims judged against records."""

from cladebench.audit.claims import Claim, ClaimSet
from cladebench.audit.outcome import VERDICTS, Outcome, Rules
from cladebench.audit.reading import ClaimsError, load_claims, read_claims
from cladebench.audit.run import audit_paper, audit_run, write_audit

__all__ = [
    "VERDICTS",
    "Claim",
    "ClaimSet",
    "ClaimsError",
    "Outcome",
    "Rules",
    "audit_paper",
    "audit_run",
    "load_claims",
    "read_claims",
    "write_audit",
]

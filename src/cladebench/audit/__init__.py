"""Claims judged against records."""

from cladebench.audit.claims import Claim, ClaimsError, ClaimSet, load_claims, read_claims
from cladebench.audit.run import audit_paper, audit_run, write_audit
from cladebench.audit.verdicts import VERDICTS, Outcome, Rules

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

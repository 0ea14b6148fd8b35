"""Claims judged against records."""

from cladebench.audit.claim import Claim, ClaimsError, ClaimSet
from cladebench.audit.claims import claims_path, load_claims, read_claims
from cladebench.audit.outcome import VERDICTS, Outcome, Rules
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
    "claims_path",
    "load_claims",
    "read_claims",
    "write_audit",
]

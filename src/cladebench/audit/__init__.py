"""Claims judged against records."""

from cladebench.audit.audit_files import Audit, read_audit, write_audit
from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.claims_file import claims_path, load_claims, read_claims
from cladebench.audit.pipeline.whole_run import audit_paper, audit_run
from cladebench.audit.verdict.verdict_types import VERDICTS, Outcome, Rules

__all__ = [
    "VERDICTS",
    "Audit",
    "Claim",
    "ClaimSet",
    "ClaimsError",
    "Outcome",
    "Rules",
    "audit_paper",
    "audit_run",
    "claims_path",
    "load_claims",
    "read_audit",
    "read_claims",
    "write_audit",
]

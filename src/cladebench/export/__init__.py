"""Verdicts in formats that others read: one module a format."""

#: Name of a format -> what it is. The module of this name has its `FORMAT`.
FORMATS = {
    "claimreview": "schema.org ClaimReview, one a statement, for search engines",
    "codecheck": "a CODECHECK bundle a paper: codecheck.yml, tables and figures",
    "forrt": "drafts of FORRT replication outcomes, one file a paper",
    "rocrate": "the run as a Workflow Run RO-Crate",
}

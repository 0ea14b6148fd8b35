"""The verdicts once more, by code that was written from docs/verdicts.md alone and shares none with the audit."""

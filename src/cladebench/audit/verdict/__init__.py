"""Verdicts: their words, answers, signs, severity and colours."""

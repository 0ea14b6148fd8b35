"""Classifiers that papers compare their distances with."""

from cladebench.classifiers.multiple_kernel_svm import MultipleKernelSVM

__all__ = ["MultipleKernelSVM"]

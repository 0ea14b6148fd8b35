"""A valid call of each thing that the compiled core exports, drawn at random, to be spoiled by `mutations`."""

import clustering_calls as clustering_calls
import forest_calls as forest_calls
from draws import CALLS, WITHOUT_ARGUMENTS, Arguments, Make, exported, perform

__all__ = ["CALLS", "WITHOUT_ARGUMENTS", "Arguments", "Make", "exported", "perform"]

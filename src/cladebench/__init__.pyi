from .hierarchy import Hierarchy as Hierarchy
from .solvers.linkages import linkage as linkage

__version__: str

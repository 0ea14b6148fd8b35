from typing import Any

from .boost_metric import BoostMetric as BoostMetric
from .dca import DCA as DCA
from .euclidean import Euclidean as Euclidean
from .exemplar_metric import ExemplarMetric as ExemplarMetric
from .fixed_weights import FixedWeights as FixedWeights
from .gb_lmnn import GBLMNN as GBLMNN
from .hierarchy_forest import HierarchyForest as HierarchyForest
from .itml import ITML as ITML
from .lmnn import LMNN as LMNN
from .random_distance import RandomDistance as RandomDistance
from .random_forest_distance import RandomForestDistance as RandomForestDistance
from .random_forest_proximity import RandomForestProximity as RandomForestProximity
from .random_projection import RandomProjection as RandomProjection
from .svm_cluster import SVMCluster as SVMCluster
from .within_cluster import WithinCluster as WithinCluster

def discover(base: type[Any] | None = None) -> dict[str, type[Any]]: ...

from typing import Any

from .agglomerative import Agglomerative as Agglomerative
from .balanced_kmeans import BalancedKMeans as BalancedKMeans
from .birch import BirchTree as BirchTree
from .cluhsic import CLUHSIC as CLUHSIC
from .connected_components import ConnectedComponents as ConnectedComponents
from .controls import BalancedRandomTree as BalancedRandomTree
from .controls import OracleTree as OracleTree
from .controls import RandomTree as RandomTree
from .controls import StarTree as StarTree
from .ghc import GHC as GHC
from .greedy_kmeans import GreedyKMeans as GreedyKMeans
from .greedy_spectral import GreedySpectral as GreedySpectral
from .hierarchical_kmeans import HierarchicalKMeans as HierarchicalKMeans
from .hmmc import HMMC as HMMC
from .kernel_spectral import KernelSpectral as KernelSpectral
from .kmeans import FlatKMeans as FlatKMeans
from .mmc import MMC as MMC
from .numerical_taxonomy import NumericalTaxonomy as NumericalTaxonomy
from .perch import Perch as Perch
from .random_clusters import RandomClusters as RandomClusters
from .sparsest_cut import SparsestCut as SparsestCut
from .spectral import FlatSpectral as FlatSpectral

def discover(base: type[Any] | None = None) -> dict[str, type[Any]]: ...

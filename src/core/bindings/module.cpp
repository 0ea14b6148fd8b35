// The Python face of the core: one bind_* function for each topic, nothing else.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "common/instruction_set.hpp"
#include "common/parallel.hpp"

namespace nb = nanobind;

void bind_tree(nb::module_& m);
void bind_perch(nb::module_& m);
void bind_assignment(nb::module_& m);
void bind_margin(nb::module_& m);
void bind_router(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_pair_forest(nb::module_& m);
void bind_split(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_triplets(nb::module_& m);
void bind_dependence(nb::module_& m);
void bind_tree_metric(nb::module_& m);
void bind_exemplar_slaves(nb::module_& m);
void bind_facility_location(nb::module_& m);
void bind_correlation_clustering(nb::module_& m);
void bind_linkage(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "Compiled kernels of cladebench; each has a plain twin in cladebench.reference.";
  m.attr("build_id") = CLADEBENCH_BUILD_ID;
  m.def("max_threads", &cladebench::max_threads,
        "Threads that the core's parallel loops would use now (1 without OpenMP).");
  m.def("instruction_sets", &cladebench::instruction_sets,
        "Instruction sets that this machine and the core have in common, the narrowest first.");
  m.def("instruction_set", &cladebench::instruction_set, "The one that the kernels use: the widest.");
  m.def("use_instruction_set", &cladebench::use_instruction_set, nb::arg("name"),
        "Use another one, for measurement: no result depends on it. The variable CLADEBENCH_INSTRUCTION_SET "
        "in the environment does the same from the start.");
  if (const char* name = std::getenv("CLADEBENCH_INSTRUCTION_SET")) cladebench::use_instruction_set(name);
  bind_tree(m);
  bind_perch(m);
  bind_assignment(m);
  bind_margin(m);
  bind_router(m);
  bind_metrics(m);
  bind_pair_forest(m);
  bind_split(m);
  bind_forest(m);
  bind_triplets(m);
  bind_dependence(m);
  bind_tree_metric(m);
  bind_exemplar_slaves(m);
  bind_facility_location(m);
  bind_correlation_clustering(m);
  bind_linkage(m);
}

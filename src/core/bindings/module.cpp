// The Python face of the core: one bind_* function for each topic, nothing else.
#include <nanobind/nanobind.h>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace nb = nanobind;

void bind_tree(nb::module_& m);
void bind_perch(nb::module_& m);
void bind_assignment(nb::module_& m);
void bind_margin(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "Compiled kernels of cladebench; each has a plain twin in cladebench.reference.";
  m.attr("build_id") = CLADEBENCH_BUILD_ID;
  m.def(
      "max_threads",
      [] {
#ifdef _OPENMP
        return omp_get_max_threads();
#else
        return 1;
#endif
      },
      "Threads that the core's parallel loops would use now (1 without OpenMP).");
  bind_tree(m);
  bind_perch(m);
  bind_assignment(m);
  bind_margin(m);
}

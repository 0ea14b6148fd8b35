#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_perch(nb::module_& m) { (void)m; }

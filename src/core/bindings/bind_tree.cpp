#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_tree(nb::module_& m) { (void)m; }

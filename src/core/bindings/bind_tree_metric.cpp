#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_tree_metric(nb::module_&) {}

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_dependence(nb::module_&) {}

#include "common/parallel.hpp"

#if defined(_OPENMP) && !defined(CLADEBENCH_STD_THREADS)
#include <omp.h>
#endif
#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace cladebench {
namespace {

bool forked = false;

#if __has_include(<pthread.h>)
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
#endif

#if defined(CLADEBENCH_STD_THREADS)
int limit = 2;
#endif

}  // namespace

#if defined(CLADEBENCH_STD_THREADS)
int max_threads() { return forked ? 1 : limit; }
void set_max_threads(int n) { limit = n; }
#elif defined(_OPENMP)
int max_threads() { return forked ? 1 : omp_get_max_threads(); }
void set_max_threads(int n) { omp_set_num_threads(n); }
#else
int max_threads() { return 1; }
void set_max_threads(int) {}
#endif

}  // namespace cladebench

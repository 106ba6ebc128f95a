#pragma once

#include <dlfcn.h>
#include <stddef.h>

// For libraries that are opened when they are first used, because linking them makes every start
// pay for them and for all the libraries behind them.
//
// LIST names the functions: `#define LIST(_) _(curl_, easy_init) _(curl_, easy_reset)`. From it,
// OPSH_LIBRARY makes `struct opsh_LIBRARY_table`, in which each function has the name without its
// prefix, and `opsh_LIBRARY_resolve`, which fills such a table from an open library and returns the
// name of a function that is missing, or NULL. The types come from the library's own header
// (`__typeof__` makes no reference to the function), so that a change of signature there is a
// compile error here.

#define OPSH_FIELD(prefix, name) __typeof__(&(prefix##name)) name;
#define OPSH_RESOLVE(prefix, name)                                      \
  table->name = (__typeof__(table->name))dlsym(handle, #prefix #name); \
  if (!table->name) return #prefix #name;
#define OPSH_LIBRARY(library, LIST)                                                     \
  struct opsh_##library##_table { LIST(OPSH_FIELD) };                                   \
  static inline const char *opsh_##library##_resolve(                                   \
      struct opsh_##library##_table *table, void *handle) {                             \
    LIST(OPSH_RESOLVE)                                                                  \
    return NULL;                                                                        \
  }

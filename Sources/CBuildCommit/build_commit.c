#include "build_commit.h"

// A section of its own with a fixed size: `scripts/stage` replaces its contents.
#ifdef __linux__
__attribute__((section(".opsh_commit")))
#endif
static const volatile char commit[64] = "";

const char *opsh_build_commit(void) { return (const char *)commit; }

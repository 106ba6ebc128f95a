// The commit that a packaged opsh was built from.
//
// Packages get it after linking, with `objcopy --update-section`, so that naming a commit compiles
// nothing again. In a build that was not packaged it is empty.
#pragma once

/// Returns the abbreviated hash of the commit; an empty text if it is unknown.
const char *opsh_build_commit(void);

// The names, words and sentences that the practice server invents its data from, as JSON that is
// compiled into the binary.
//
// Their order counts: a seed draws by position.
#pragma once

#include <stddef.h>

/// The bytes of a text in UTF-8; they are valid for the life of the process.
struct opsh_practice_text {
  const unsigned char *bytes;
  size_t count;
};

/// Returns the sites, errors, subjects, templates of titles, sentences and names.
struct opsh_practice_text opsh_practice_stack_exchange(void);

/// Returns the sentences by language, the names and places.
struct opsh_practice_text opsh_practice_twitter(void);

/// Returns the quotes, their authors and subjects.
struct opsh_practice_text opsh_practice_parse(void);

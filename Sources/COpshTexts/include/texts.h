// Texts that are compiled into the binary, so that it needs no file beside it.
//
// `#embed` reads the files when this target is compiled, and the compiler lists them as what the
// object depends on: an edited text is compiled again with the next build.
#pragma once

#include <stddef.h>

/// The bytes of a text in UTF-8; they are valid for the life of the process.
struct opsh_text {
  const unsigned char *bytes;
  size_t count;
};

/// Returns the document of the page, with `{{name}}` in the place of each text to fill in.
struct opsh_text opsh_page_markup(void);

/// Returns the style sheet of the page.
struct opsh_text opsh_page_style(void);

/// Returns the parts of the page's script, one after the other.
struct opsh_text opsh_page_script(void);

/// Returns the text of a file by its folder and its name, such as `Help/topics`; without bytes if
/// there is no such file.
struct opsh_text opsh_text_named(const char *name);

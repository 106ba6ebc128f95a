// One typed wrapper per use of libedit's variadic functions, which Swift cannot call.
// The wide interface is the library's own; the narrow one converts, and is not used here.
#pragma once

#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

/// A command bound to a key: gets the key's code, returns a CC_ value.
typedef unsigned char (*opsh_command)(EditLine *editor, wint_t code);
/// Returns the prompt; the text must stay valid until the next call.
typedef wchar_t *(*opsh_prompt)(EditLine *editor);

static inline int opsh_el_set_reader(EditLine *editor, el_rfunc_t reader) {
  return el_wset(editor, EL_GETCFN, reader);
}

static inline int opsh_el_set_prompt(EditLine *editor, opsh_prompt prompt) {
  return el_wset(editor, EL_PROMPT, prompt);
}

static inline int opsh_el_set_client(EditLine *editor, void *client) {
  return el_wset(editor, EL_CLIENTDATA, client);
}

static inline void *opsh_el_client(EditLine *editor) {
  void *client = NULL;
  el_wget(editor, EL_CLIENTDATA, &client);
  return client;
}

/// Selects the key maps: `emacs` or `vi`.
static inline int opsh_el_set_editor(EditLine *editor, const wchar_t *mode) {
  return el_wset(editor, EL_EDITOR, mode);
}

static inline int opsh_el_set_signal(EditLine *editor, int handles) {
  return el_wset(editor, EL_SIGNAL, handles);
}

static inline int opsh_el_set_edit_mode(EditLine *editor, int edits) {
  return el_wset(editor, EL_EDITMODE, edits);
}

/// Puts the terminal into raw (1) or cooked (0) mode.
static inline int opsh_el_prepare(EditLine *editor, int raw) {
  return el_wset(editor, EL_PREP_TERM, raw);
}

/// Adds a command; `name` and `help` are kept by the library, not copied.
static inline int opsh_el_add_command(EditLine *editor, const wchar_t *name,
                                      const wchar_t *help, opsh_command command) {
  return el_wset(editor, EL_ADDFN, name, help, command);
}

static inline int opsh_el_bind(EditLine *editor, const wchar_t *key, const wchar_t *command) {
  return el_wset(editor, EL_BIND, key, command, (wchar_t *)NULL);
}

/// Binds in the second key map, which is that of vi's command mode.
static inline int opsh_el_bind_alternate(EditLine *editor, const wchar_t *key,
                                         const wchar_t *command) {
  return el_wset(editor, EL_BIND, L"-a", key, command, (wchar_t *)NULL);
}

/// Keeps what is typed while a command runs out of the output: the next prompt shows it.
static inline int opsh_el_disable_echo_between_lines(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-x", L"-echo", (wchar_t *)NULL);
}

/// Lets Ctrl-S and Ctrl-Q through as keys: as flow control they would freeze the typing.
static inline int opsh_el_disable_flow_control(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-d", L"-ixon", (wchar_t *)NULL);
}

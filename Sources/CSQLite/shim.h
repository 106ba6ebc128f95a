#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

// Linking SQLite costs every start a third of a millisecond, a tenth of it, used or not. So it is
// opened when the store is first used, and everything here goes through a table of function
// pointers. The types come from SQLite's own header (`__typeof__` makes no reference to the
// function), so that a change of signature there is a compile error here.

struct opsh_sqlite_table {
  __typeof__(&sqlite3_libversion_number) libversion_number;
  __typeof__(&sqlite3_threadsafe) threadsafe;
  __typeof__(&sqlite3_open_v2) open_v2;
  __typeof__(&sqlite3_close) close;
  __typeof__(&sqlite3_extended_errcode) extended_errcode;
  __typeof__(&sqlite3_errmsg) errmsg;
  __typeof__(&sqlite3_errstr) errstr;
  __typeof__(&sqlite3_system_errno) system_errno;
  __typeof__(&sqlite3_busy_timeout) busy_timeout;
  __typeof__(&sqlite3_prepare_v3) prepare_v3;
  __typeof__(&sqlite3_step) step;
  __typeof__(&sqlite3_reset) reset;
  __typeof__(&sqlite3_clear_bindings) clear_bindings;
  __typeof__(&sqlite3_finalize) finalize;
  __typeof__(&sqlite3_bind_null) bind_null;
  __typeof__(&sqlite3_bind_int64) bind_int64;
  __typeof__(&sqlite3_bind_text64) bind_text64;
  __typeof__(&sqlite3_bind_blob64) bind_blob64;
  __typeof__(&sqlite3_column_type) column_type;
  __typeof__(&sqlite3_column_int64) column_int64;
  __typeof__(&sqlite3_column_blob) column_blob;
  __typeof__(&sqlite3_column_bytes) column_bytes;
  __typeof__(&sqlite3_changes) changes;
  __typeof__(&sqlite3_last_insert_rowid) last_insert_rowid;
  __typeof__(&sqlite3_db_readonly) db_readonly;
  __typeof__(&sqlite3_get_autocommit) get_autocommit;
  // Variadic, which Swift cannot call: see the wrapper below.
  __typeof__(&(sqlite3_db_config)) db_config;
};

// Fills the table from the named library. Returns NULL, or what is missing: the text of dlerror()
// or the name of a function. The library is never closed again.
static inline const char *opsh_sqlite_load(
    struct opsh_sqlite_table *table, const char *library_name) {
  void *library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return reason ? reason : library_name;
  }
#define OPSH_SQLITE_RESOLVE(field)                                                 \
  table->field = (__typeof__(table->field))dlsym(library, "sqlite3_" #field);      \
  if (!table->field) return "sqlite3_" #field
  OPSH_SQLITE_RESOLVE(libversion_number);
  OPSH_SQLITE_RESOLVE(threadsafe);
  OPSH_SQLITE_RESOLVE(open_v2);
  OPSH_SQLITE_RESOLVE(close);
  OPSH_SQLITE_RESOLVE(extended_errcode);
  OPSH_SQLITE_RESOLVE(errmsg);
  OPSH_SQLITE_RESOLVE(errstr);
  OPSH_SQLITE_RESOLVE(system_errno);
  OPSH_SQLITE_RESOLVE(busy_timeout);
  OPSH_SQLITE_RESOLVE(prepare_v3);
  OPSH_SQLITE_RESOLVE(step);
  OPSH_SQLITE_RESOLVE(reset);
  OPSH_SQLITE_RESOLVE(clear_bindings);
  OPSH_SQLITE_RESOLVE(finalize);
  OPSH_SQLITE_RESOLVE(bind_null);
  OPSH_SQLITE_RESOLVE(bind_int64);
  OPSH_SQLITE_RESOLVE(bind_text64);
  OPSH_SQLITE_RESOLVE(bind_blob64);
  OPSH_SQLITE_RESOLVE(column_type);
  OPSH_SQLITE_RESOLVE(column_int64);
  OPSH_SQLITE_RESOLVE(column_blob);
  OPSH_SQLITE_RESOLVE(column_bytes);
  OPSH_SQLITE_RESOLVE(changes);
  OPSH_SQLITE_RESOLVE(last_insert_rowid);
  OPSH_SQLITE_RESOLVE(db_readonly);
  OPSH_SQLITE_RESOLVE(get_autocommit);
  OPSH_SQLITE_RESOLVE(db_config);
#undef OPSH_SQLITE_RESOLVE
  return NULL;
}

// Sets one of the switches of a connection, of those that are on or off.
static inline int opsh_sqlite_set_switch(
    const struct opsh_sqlite_table *table, sqlite3 *connection, int name, int is_on) {
  return (table->db_config)(connection, name, is_on, (int *)NULL);
}

// Steps, and says which system error was the last one meanwhile, or 0. SQLite itself forgets it
// when it is a COMMIT that fails.
static inline int opsh_sqlite_step(
    const struct opsh_sqlite_table *table, sqlite3_stmt *statement, int *system_error) {
  errno = 0;
  int code = table->step(statement);
  *system_error = errno;
  return code;
}

// SQLITE_TRANSIENT is a cast that Swift cannot import. An empty Swift string may have no address,
// which SQLite would take for NULL.

static inline int opsh_sqlite_bind_text(
    const struct opsh_sqlite_table *table, sqlite3_stmt *statement, int index, const void *bytes,
    sqlite3_uint64 count) {
  return table->bind_text64(
      statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int opsh_sqlite_bind_blob(
    const struct opsh_sqlite_table *table, sqlite3_stmt *statement, int index, const void *bytes,
    sqlite3_uint64 count) {
  return table->bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

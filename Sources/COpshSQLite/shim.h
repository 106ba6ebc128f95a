#pragma once

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include "../COpshSystem/library.h"

// Linking SQLite costs every start a third of a millisecond, a tenth of it, used or not. The last
// function is variadic, which Swift cannot call: see the wrapper below.

#define OPSH_SQLITE_FUNCTIONS(_) \
  _(sqlite3_, libversion_number) _(sqlite3_, threadsafe) _(sqlite3_, open_v2) \
  _(sqlite3_, close) _(sqlite3_, extended_errcode) _(sqlite3_, errmsg) _(sqlite3_, errstr) \
  _(sqlite3_, system_errno) _(sqlite3_, busy_timeout) _(sqlite3_, prepare_v3) \
  _(sqlite3_, step) _(sqlite3_, reset) _(sqlite3_, clear_bindings) _(sqlite3_, finalize) \
  _(sqlite3_, bind_null) _(sqlite3_, bind_int64) _(sqlite3_, bind_text64) \
  _(sqlite3_, bind_blob64) _(sqlite3_, column_type) _(sqlite3_, column_int64) \
  _(sqlite3_, column_blob) _(sqlite3_, column_bytes) _(sqlite3_, changes) \
  _(sqlite3_, last_insert_rowid) _(sqlite3_, db_readonly) _(sqlite3_, get_autocommit) \
  _(sqlite3_, db_config)
OPSH_LIBRARY(sqlite, OPSH_SQLITE_FUNCTIONS)

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

#pragma once

#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

// libcurl brings about thirty libraries with it, and linking it makes every start pay for them.
// So it is opened when the first request is made, and everything here goes through a table of
// function pointers. The types come from curl's own header (`__typeof__` makes no reference to
// the function), so that a change of signature there is a compile error here.

struct opsh_curl_table {
  __typeof__(&curl_global_init) global_init;
  __typeof__(&curl_version_info) version_info;
  __typeof__(&curl_easy_init) easy_init;
  __typeof__(&curl_easy_reset) easy_reset;
  __typeof__(&curl_easy_cleanup) easy_cleanup;
  __typeof__(&curl_easy_pause) easy_pause;
  __typeof__(&curl_multi_init) multi_init;
  __typeof__(&curl_multi_cleanup) multi_cleanup;
  __typeof__(&curl_multi_add_handle) multi_add_handle;
  __typeof__(&curl_multi_remove_handle) multi_remove_handle;
  __typeof__(&curl_multi_socket_action) multi_socket_action;
  __typeof__(&curl_multi_info_read) multi_info_read;
  __typeof__(&curl_slist_append) slist_append;
  __typeof__(&curl_slist_free_all) slist_free_all;
  __typeof__(&curl_url) url;
  __typeof__(&curl_url_set) url_set;
  __typeof__(&curl_url_cleanup) url_cleanup;
  // The variadic ones, which Swift cannot call: see the wrappers below.
  __typeof__(&(curl_easy_setopt)) easy_setopt;
  __typeof__(&(curl_easy_getinfo)) easy_getinfo;
  __typeof__(&(curl_multi_setopt)) multi_setopt;
};

// Fills the table from the named library. Returns NULL, or what is missing: the text of dlerror()
// or the name of a function. The library is never closed again: its threads and the exit handlers
// of the libraries behind it may outlive any use we know of.
static inline const char *opsh_curl_load(
    struct opsh_curl_table *table, const char *library_name) {
  void *library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return reason ? reason : library_name;
  }
#define OPSH_CURL_RESOLVE(field)                                                   \
  table->field = (__typeof__(table->field))dlsym(library, "curl_" #field);         \
  if (!table->field) return "curl_" #field
  OPSH_CURL_RESOLVE(global_init);
  OPSH_CURL_RESOLVE(version_info);
  OPSH_CURL_RESOLVE(easy_init);
  OPSH_CURL_RESOLVE(easy_reset);
  OPSH_CURL_RESOLVE(easy_cleanup);
  OPSH_CURL_RESOLVE(easy_pause);
  OPSH_CURL_RESOLVE(multi_init);
  OPSH_CURL_RESOLVE(multi_cleanup);
  OPSH_CURL_RESOLVE(multi_add_handle);
  OPSH_CURL_RESOLVE(multi_remove_handle);
  OPSH_CURL_RESOLVE(multi_socket_action);
  OPSH_CURL_RESOLVE(multi_info_read);
  OPSH_CURL_RESOLVE(slist_append);
  OPSH_CURL_RESOLVE(slist_free_all);
  OPSH_CURL_RESOLVE(url);
  OPSH_CURL_RESOLVE(url_set);
  OPSH_CURL_RESOLVE(url_cleanup);
  OPSH_CURL_RESOLVE(easy_setopt);
  OPSH_CURL_RESOLVE(easy_getinfo);
  OPSH_CURL_RESOLVE(multi_setopt);
#undef OPSH_CURL_RESOLVE
  return NULL;
}

// One wrapper for each type of argument: a variadic call with the wrong one is undefined.

static inline CURLcode opsh_curl_set_long(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option, long value) {
  return (table->easy_setopt)(handle, option, value);
}

static inline CURLcode opsh_curl_set_offset(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option, curl_off_t value) {
  return (table->easy_setopt)(handle, option, value);
}

static inline CURLcode opsh_curl_set_string(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option, const char *value) {
  return (table->easy_setopt)(handle, option, value);
}

static inline CURLcode opsh_curl_set_pointer(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option, const void *value) {
  return (table->easy_setopt)(handle, option, value);
}

static inline CURLcode opsh_curl_set_list(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option,
    const struct curl_slist *value) {
  return (table->easy_setopt)(handle, option, value);
}

typedef size_t (*opsh_curl_data_function)(char *data, size_t size, size_t count, void *context);

static inline CURLcode opsh_curl_set_data_function(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option,
    opsh_curl_data_function value) {
  return (table->easy_setopt)(handle, option, value);
}

static inline CURLcode opsh_curl_set_prerequest_function(
    const struct opsh_curl_table *table, CURL *handle, curl_prereq_callback value,
    void *context) {
  CURLcode code = (table->easy_setopt)(handle, CURLOPT_PREREQDATA, context);
  return code ? code : (table->easy_setopt)(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode opsh_curl_get_long(
    const struct opsh_curl_table *table, CURL *handle, CURLINFO info, long *value) {
  return (table->easy_getinfo)(handle, info, value);
}

static inline CURLcode opsh_curl_get_offset(
    const struct opsh_curl_table *table, CURL *handle, CURLINFO info, curl_off_t *value) {
  return (table->easy_getinfo)(handle, info, value);
}

static inline CURLcode opsh_curl_get_pointer(
    const struct opsh_curl_table *table, CURL *handle, CURLINFO info, void **value) {
  return (table->easy_getinfo)(handle, info, value);
}

static inline CURLMcode opsh_curl_multi_set_long(
    const struct opsh_curl_table *table, CURLM *handle, CURLMoption option, long value) {
  return (table->multi_setopt)(handle, option, value);
}

static inline CURLMcode opsh_curl_multi_set_socket_function(
    const struct opsh_curl_table *table, CURLM *handle, curl_socket_callback value,
    void *context) {
  CURLMcode code = (table->multi_setopt)(handle, CURLMOPT_SOCKETDATA, context);
  return code ? code : (table->multi_setopt)(handle, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode opsh_curl_multi_set_timer_function(
    const struct opsh_curl_table *table, CURLM *handle, curl_multi_timer_callback value,
    void *context) {
  CURLMcode code = (table->multi_setopt)(handle, CURLMOPT_TIMERDATA, context);
  return code ? code : (table->multi_setopt)(handle, CURLMOPT_TIMERFUNCTION, value);
}

// The version as 0xXXYYZZ.
static inline unsigned int opsh_curl_version(const struct opsh_curl_table *table) {
  const curl_version_info_data *data = table->version_info(CURLVERSION_NOW);
  return data ? data->version_num : 0;
}

// The result of a finished transfer: a union in curl's message, which Swift sees without names.
static inline CURLcode opsh_curl_message_result(const CURLMsg *message) {
  return message->data.result;
}

// Opens what one thread wakes another one up with: descriptors to read from and to write to, which
// are the same one where the system has such. Returns -1 with errno set if there are none left.
static inline int opsh_curl_open_wake_up(int ends[2]) {
#ifdef __linux__
  ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return ends[0] < 0 ? -1 : 0;
#else
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end += 1) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  return 0;
#endif
}

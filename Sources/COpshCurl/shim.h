#pragma once

#include <curl/curl.h>
#include <stddef.h>
#include "../COpshSystem/library.h"
#include "tls.h"

// libcurl brings about thirty libraries with it, so it is opened when the first request is made.
// The last three functions are variadic, which Swift cannot call: see the wrappers below.

#define OPSH_CURL_FUNCTIONS(_) \
  _(curl_, global_init) _(curl_, version_info) _(curl_, easy_init) _(curl_, easy_reset) \
  _(curl_, easy_cleanup) _(curl_, easy_pause) _(curl_, multi_init) _(curl_, multi_cleanup) \
  _(curl_, multi_add_handle) _(curl_, multi_remove_handle) _(curl_, multi_socket_action) \
  _(curl_, multi_info_read) _(curl_, slist_append) _(curl_, slist_free_all) _(curl_, url) \
  _(curl_, url_set) _(curl_, url_cleanup) _(curl_, easy_setopt) _(curl_, easy_getinfo) \
  _(curl_, multi_setopt)
OPSH_LIBRARY(curl, OPSH_CURL_FUNCTIONS)

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

// Sets bytes, which libcurl copies.
static inline CURLcode opsh_curl_set_blob(
    const struct opsh_curl_table *table, CURL *handle, CURLoption option, const void *bytes,
    size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return (table->easy_setopt)(handle, option, &blob);
}

static inline CURLcode opsh_curl_set_seek_function(
    const struct opsh_curl_table *table, CURL *handle, curl_seek_callback value, void *context) {
  CURLcode code = (table->easy_setopt)(handle, CURLOPT_SEEKDATA, context);
  return code ? code : (table->easy_setopt)(handle, CURLOPT_SEEKFUNCTION, value);
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

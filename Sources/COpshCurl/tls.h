#pragma once

#include <curl/curl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include "../COpshSystem/library.h"

// What OpenSSL knows about a connection of libcurl: libcurl itself tells neither the version of TLS
// nor the cipher, and the certificate only of a connection that is new.
//
// The functions are those of the library that libcurl has opened already. The headers of OpenSSL are
// not needed for the few of them, whose signatures are the same since OpenSSL 1.1.

struct opsh_tls_table {
  const char *(*get_version)(const void *ssl);
  const void *(*get_current_cipher)(const void *ssl);
  const char *(*cipher_name)(const void *cipher);
  void *(*get_certificate)(const void *ssl);
  void (*free_certificate)(void *certificate);
  void *(*get_subject)(const void *certificate);
  void *(*get_issuer)(const void *certificate);
  int (*get_text)(void *name, int identifier, char *text, int size);
  const void *(*get_not_before)(const void *certificate);
  const void *(*get_not_after)(const void *certificate);
  int (*time_to_tm)(const void *time, struct tm *tm);
};

static inline const char *opsh_tls_resolve(struct opsh_tls_table *table, void *handle) {
#define OPSH_TLS(field, name)                                           \
  table->field = (__typeof__(table->field))dlsym(handle, name);         \
  if (!table->field) return name;
  OPSH_TLS(get_version, "SSL_get_version")
  OPSH_TLS(get_current_cipher, "SSL_get_current_cipher")
  OPSH_TLS(cipher_name, "SSL_CIPHER_get_name")
  OPSH_TLS(free_certificate, "X509_free")
  OPSH_TLS(get_subject, "X509_get_subject_name")
  OPSH_TLS(get_issuer, "X509_get_issuer_name")
  OPSH_TLS(get_text, "X509_NAME_get_text_by_NID")
  OPSH_TLS(get_not_before, "X509_get0_notBefore")
  OPSH_TLS(get_not_after, "X509_get0_notAfter")
  OPSH_TLS(time_to_tm, "ASN1_TIME_to_tm")
#undef OPSH_TLS
  // Its name in OpenSSL 3, and the one before.
  table->get_certificate =
      (__typeof__(table->get_certificate))dlsym(handle, "SSL_get1_peer_certificate");
  if (!table->get_certificate)
    table->get_certificate =
        (__typeof__(table->get_certificate))dlsym(handle, "SSL_get_peer_certificate");
  return table->get_certificate ? NULL : "SSL_get_peer_certificate";
}

struct opsh_tls_facts {
  const char *version;
  const char *cipher;
  int has_certificate;
  char subject[256];
  char issuer[256];
  char organization[256];
  long long not_before;
  long long not_after;
};

// Opens OpenSSL, if it is open already: another copy of it would not know libcurl's objects.
static inline void *opsh_tls_library(void) {
  static const char *const names[] = {"libssl.so.3", "libssl.so.1.1"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index += 1) {
    void *handle = dlopen(names[index], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle) return handle;
  }
  return NULL;
}

static inline long long opsh_tls_seconds(const struct opsh_tls_table *table, const void *time) {
  struct tm tm;
  memset(&tm, 0, sizeof tm);
  return time && table->time_to_tm(time, &tm) == 1 ? (long long)timegm(&tm) : 0;
}

// Describes the connection of a handle; returns 0 if that has no TLS of OpenSSL. Only while the
// handle has its connection, as in a callback before the request is sent.
static inline int opsh_tls_describe(
    const struct opsh_tls_table *table, const struct curl_tlssessioninfo *info,
    struct opsh_tls_facts *facts) {
  memset(facts, 0, sizeof *facts);
  if (!info || info->backend != CURLSSLBACKEND_OPENSSL || !info->internals) return 0;
  const void *ssl = info->internals;
  const void *cipher = table->get_current_cipher(ssl);
  facts->version = table->get_version(ssl);
  facts->cipher = cipher ? table->cipher_name(cipher) : "";
  void *certificate = table->get_certificate(ssl);
  if (!certificate) return 1;
  const int common_name = 13, organization = 17;
  void *subject = table->get_subject(certificate), *issuer = table->get_issuer(certificate);
  facts->has_certificate = 1;
  if (subject) table->get_text(subject, common_name, facts->subject, sizeof facts->subject);
  if (issuer) {
    table->get_text(issuer, common_name, facts->issuer, sizeof facts->issuer);
    table->get_text(issuer, organization, facts->organization, sizeof facts->organization);
  }
  facts->not_before = opsh_tls_seconds(table, table->get_not_before(certificate));
  facts->not_after = opsh_tls_seconds(table, table->get_not_after(certificate));
  table->free_certificate(certificate);
  return 1;
}

#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <microhttpd.h>
#include "../COpshSystem/library.h"

// libmicrohttpd is opened when the first server starts. The last three functions are variadic, which
// Swift cannot call: see the wrappers below.

#define OPSH_MHD_FUNCTIONS(_) \
  _(MHD_, run) _(MHD_, stop_daemon) _(MHD_, get_timeout) _(MHD_, suspend_connection) \
  _(MHD_, resume_connection) _(MHD_, queue_response) _(MHD_, create_response_from_buffer) \
  _(MHD_, add_response_header) _(MHD_, destroy_response) _(MHD_, get_connection_values) \
  _(MHD_, get_version) \
  _(MHD_, start_daemon) _(MHD_, get_daemon_info) _(MHD_, get_connection_info)
OPSH_LIBRARY(mhd, OPSH_MHD_FUNCTIONS)

// Under names of their own, because how Swift names the library's enumerators depends on the
// attributes that its header gives them, which differ between versions.
static const enum MHD_Result opsh_mhd_yes = MHD_YES;
static const enum MHD_Result opsh_mhd_no = MHD_NO;
static const enum MHD_ResponseMemoryMode opsh_mhd_must_copy = MHD_RESPMEM_MUST_COPY;
static const enum MHD_ConnectionNotificationCode opsh_mhd_connection_started =
    MHD_CONNECTION_NOTIFY_STARTED;
static const enum MHD_ValueKind opsh_mhd_header_kind = MHD_HEADER_KIND;
static const enum MHD_RequestTerminationCode opsh_mhd_completed_ok =
    MHD_REQUEST_TERMINATED_COMPLETED_OK;

typedef void *(*opsh_mhd_uri_callback)(
    void *context, const char *uri, struct MHD_Connection *connection);

/// Starts a daemon on a listening socket, polled by its owner through one epoll descriptor; it speaks
/// TLS where it is given a certificate and its key, which it reads before this returns.
static inline struct MHD_Daemon *opsh_mhd_start(
    const struct opsh_mhd_table *table, int listening_socket, unsigned int connection_limit,
    unsigned int idle_seconds, size_t connection_memory,
    const char *certificate, const char *key, void *context,
    MHD_AccessHandlerCallback handle_request, MHD_RequestCompletedCallback request_completed,
    MHD_NotifyConnectionCallback connection_changed, opsh_mhd_uri_callback uri_received)
{
  if (certificate)
    return (table->start_daemon)(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TLS, 0, NULL, NULL, handle_request,
        context,
        MHD_OPTION_HTTPS_MEM_CERT, certificate,
        MHD_OPTION_HTTPS_MEM_KEY, key,
        MHD_OPTION_LISTEN_SOCKET, listening_socket,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_NOTIFY_COMPLETED, request_completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, context,
        MHD_OPTION_URI_LOG_CALLBACK, uri_received, context,
        MHD_OPTION_END);
  return (table->start_daemon)(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0, NULL, NULL, handle_request,
      context,
      MHD_OPTION_LISTEN_SOCKET, listening_socket,
      MHD_OPTION_CONNECTION_LIMIT, connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
      MHD_OPTION_NOTIFY_COMPLETED, request_completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connection_changed, context,
      MHD_OPTION_URI_LOG_CALLBACK, uri_received, context,
      MHD_OPTION_END);
}

/// The descriptor that becomes readable when the daemon has work, or -1.
static inline int opsh_mhd_poll_descriptor(
    const struct opsh_mhd_table *table, struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *found = (table->get_daemon_info)(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return found ? found->epoll_fd : -1;
}

/// The socket of a connection, or -1.
static inline int opsh_mhd_connection_socket(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *found =
      (table->get_connection_info)(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return found ? found->connect_fd : -1;
}

/// The size of the head of a connection's request, from the method to the empty line, or 0.
static inline size_t opsh_mhd_head_size(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *found =
      (table->get_connection_info)(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return found ? found->header_size : 0;
}

/// What the connection callback stored with a connection, or null.
static inline void *opsh_mhd_connection_context(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *found =
      (table->get_connection_info)(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return found ? found->socket_context : NULL;
}

/// Whether a connection is encrypted.
static inline _Bool opsh_mhd_connection_is_secure(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection)
{
  return (table->get_connection_info)(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) != NULL;
}

/// The IPv4 address of a connection's client in host byte order, or 0.
static inline unsigned int opsh_mhd_client_address(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *found =
      (table->get_connection_info)(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!found || !found->client_addr || found->client_addr->sa_family != AF_INET) return 0;
  struct sockaddr_in address;
  memcpy(&address, found->client_addr, sizeof address);
  return ntohl(address.sin_addr.s_addr);
}

/// Writes the address of a connection's client in digits; gives whether it has one.
static inline _Bool opsh_mhd_client_text(
    const struct opsh_mhd_table *table, struct MHD_Connection *connection, char *text,
    unsigned int size)
{
  const union MHD_ConnectionInfo *found =
      (table->get_connection_info)(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!found || !found->client_addr) return 0;
  if (found->client_addr->sa_family == AF_INET) {
    struct sockaddr_in address;
    memcpy(&address, found->client_addr, sizeof address);
    return inet_ntop(AF_INET, &address.sin_addr, text, size) != NULL;
  }
  if (found->client_addr->sa_family == AF_INET6) {
    struct sockaddr_in6 address;
    memcpy(&address, found->client_addr, sizeof address);
    return inet_ntop(AF_INET6, &address.sin6_addr, text, size) != NULL;
  }
  return 0;
}

/// Resets a TCP connection: the peer gets a RST at once, and what was not read or sent is lost.
///
/// Linux does so when a connected socket is dissolved by a connect to no address. The descriptor
/// stays open, for its owner to close. Elsewhere the RST comes with the close.
static inline void opsh_mhd_reset_socket(int descriptor)
{
  struct linger none = {1, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  struct sockaddr nowhere;
  memset(&nowhere, 0, sizeof nowhere);
  nowhere.sa_family = AF_UNSPEC;
  connect(descriptor, &nowhere, sizeof nowhere);
}

/// Makes a socket send small pieces at once.
static inline void opsh_mhd_send_at_once(int descriptor)
{
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

#include "explorer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

bool kith_http_is_address(const char *text) {
  unsigned char bytes[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

#ifndef KITH_EXPLORER

bool kith_http_is_built_in(void) { return false; }

kith_http_server *kith_http_start(
  const char *address, uint16_t port, kith_http_limits limits, kith_http_handler handler) {
  (void)address, (void)port, (void)limits, (void)handler;
  errno = ENOTSUP;
  return NULL;
}

uint16_t kith_http_port(const kith_http_server *server) { return (void)server, 0; }
void kith_http_stop(kith_http_server *server) { (void)server; }

// No server starts, so no reply is ever made.
void kith_http_reply_bytes(kith_http_reply *reply, unsigned status, const uint8_t *bytes, size_t count) {
  (void)reply, (void)status, (void)bytes, (void)count;
}
void kith_http_reply_stream(kith_http_reply *reply, void *stream) { (void)reply, (void)stream; }
bool kith_http_is_abandoned(const kith_http_reply *reply) { return reply == NULL; }
void kith_http_reply_header(kith_http_reply *reply, const char *name, const char *value) {
  (void)reply, (void)name, (void)value;
}

#else

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// A body that is too long is read on up to this many bytes, so that the client reads the reply.
enum { DRAINED_BYTE_COUNT = 1 << 20, STREAM_BLOCK_BYTE_COUNT = 1 << 14 };

struct kith_http_server {
  struct MHD_Daemon *daemon;
  kith_http_limits limits;
  kith_http_handler handler;
  atomic_bool is_stopping;
};

struct kith_http_reply {
  kith_http_server *server;
  struct MHD_Connection *connection;
  struct MHD_Response *response;
  unsigned status;
};

// A request while it arrives.
struct exchange {
  char *target;  // NULL if it is too long
  uint8_t *body;
  size_t count;
  uint64_t read_count;
  bool has_begun;
};

struct stream {
  kith_http_server *server;
  struct MHD_Connection *connection;
  void *source;
};

bool kith_http_is_built_in(void) { return true; }

// MARK: Replies

void kith_http_reply_bytes(kith_http_reply *reply, unsigned status, const uint8_t *bytes, size_t count) {
  reply->status = status;
  reply->response = MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

static bool is_closed(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  char byte;
  if (info == NULL) return true;
  ssize_t count = recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static bool is_abandoned(const kith_http_server *server, struct MHD_Connection *connection) {
  return atomic_load(&server->is_stopping) || is_closed(connection);
}

bool kith_http_is_abandoned(const kith_http_reply *reply) { return is_abandoned(reply->server, reply->connection); }

// Runs in the thread of the connection, which may wait.
static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t limit) {
  struct stream *stream = context;
  (void)position;
  while (!is_abandoned(stream->server, stream->connection)) {
    size_t count = stream->server->handler.next(stream->source, (uint8_t *)buffer, limit);
    if (count == SIZE_MAX) return MHD_CONTENT_READER_END_OF_STREAM;
    if (count > 0) return (ssize_t)count;
  }
  return MHD_CONTENT_READER_END_WITH_ERROR;
}

static void release_stream(void *context) {
  struct stream *stream = context;
  stream->server->handler.release(stream->source);
  free(stream);
}

void kith_http_reply_stream(kith_http_reply *reply, void *source) {
  struct stream *stream = malloc(sizeof *stream);
  if (stream == NULL) {
    reply->server->handler.release(source);
    return;
  }
  *stream = (struct stream){reply->server, reply->connection, source};
  reply->status = MHD_HTTP_OK;
  reply->response =
    MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTE_COUNT, read_stream, stream, release_stream);
  if (reply->response == NULL) release_stream(stream);
}

void kith_http_reply_header(kith_http_reply *reply, const char *name, const char *value) {
  if (reply->response != NULL) MHD_add_response_header(reply->response, name, value);
}

// MARK: Requests

static void *begin(void *context, const char *target, struct MHD_Connection *connection) {
  kith_http_server *server = context;
  (void)connection;
  struct exchange *exchange = calloc(1, sizeof *exchange);
  if (exchange != NULL && strlen(target) <= server->limits.target_count) exchange->target = strdup(target);
  return exchange;
}

static void end(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  struct exchange *exchange = *state;
  if (exchange == NULL) return;
  free(exchange->target);
  free(exchange->body);
  free(exchange);
  *state = NULL;
}

// Keeps a part of the body, unless the body is too long. False if it is so long that the connection has to end.
static bool take(kith_http_server *server, struct exchange *exchange, const char *bytes, size_t count) {
  exchange->read_count += count;
  if (exchange->read_count > server->limits.body_count) return exchange->read_count <= DRAINED_BYTE_COUNT;
  uint8_t *body = realloc(exchange->body, exchange->count + count);
  if (body == NULL) return false;
  memcpy(body + exchange->count, bytes, count);
  exchange->body = body;
  exchange->count += count;
  return true;
}

static enum MHD_Result count_host(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind, (void)value;
  if (strcasecmp(name, "Host") == 0) *(int *)context += 1;
  return MHD_YES;
}

static enum MHD_Result send_reply(kith_http_reply *reply) {
  if (reply->response == NULL) return MHD_NO;
  enum MHD_Result result = MHD_queue_response(reply->connection, reply->status, reply->response);
  MHD_destroy_response(reply->response);
  return result;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
  const char *version, const char *bytes, size_t *count, void **state) {
  kith_http_server *server = context;
  struct exchange *exchange = *state;
  (void)url, (void)version;
  if (exchange == NULL) return MHD_NO;
  if (!exchange->has_begun) {  // the headers; a reply to this call would end the connection
    exchange->has_begun = true;
    return MHD_YES;
  }
  if (*count > 0) {
    bool is_taken = take(server, exchange, bytes, *count);
    *count = 0;
    return is_taken ? MHD_YES : MHD_NO;
  }
  kith_http_reply reply = {server, connection, NULL, 0};
  if (exchange->target == NULL) {
    kith_http_reply_bytes(&reply, MHD_HTTP_URI_TOO_LONG, NULL, 0);
    return send_reply(&reply);
  }
  int host_count = 0;
  MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &host_count);
  bool is_too_long = exchange->read_count > server->limits.body_count;
  kith_http_request request = {
    .method = method,
    .target = exchange->target,
    .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
    .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
    .authorization = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"),
    .cookie = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Cookie"),
    .if_none_match = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match"),
    .fetch_site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site"),
    .body = exchange->body,
    .body_count = is_too_long ? 0 : exchange->count,
    .is_body_too_long = is_too_long,
    .has_several_hosts = host_count > 1,
  };
  server->handler.answer(server->handler.context, &request, &reply);
  return send_reply(&reply);
}

// MARK: Start and stop

// Returns the flags of the address family; 0 if the text is no address.
static unsigned read_address(const char *text, uint16_t port, struct sockaddr_storage *storage) {
  struct sockaddr_in *four = (struct sockaddr_in *)storage;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)storage;
  memset(storage, 0, sizeof *storage);
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return MHD_USE_AUTO;
  }
  if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    return MHD_USE_AUTO | MHD_USE_IPv6;
  }
  return 0;
}

kith_http_server *kith_http_start(
  const char *address, uint16_t port, kith_http_limits limits, kith_http_handler handler) {
  struct sockaddr_storage storage;
  unsigned flags = read_address(address, port, &storage);
  if (flags == 0) {
    errno = EINVAL;
    return NULL;
  }
  kith_http_server *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  server->limits = limits;
  server->handler = handler;
  errno = 0;
  server->daemon =
    MHD_start_daemon(flags | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, port, NULL,
      NULL, answer, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&storage, MHD_OPTION_CONNECTION_LIMIT,
      limits.connection_count, MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds, MHD_OPTION_URI_LOG_CALLBACK, begin,
      server, MHD_OPTION_NOTIFY_COMPLETED, end, server, MHD_OPTION_END);
  if (server->daemon == NULL) {
    int code = errno == 0 ? EIO : errno;
    free(server);
    errno = code;
    return NULL;
  }
  return server;
}

uint16_t kith_http_port(const kith_http_server *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

void kith_http_stop(kith_http_server *server) {
  atomic_store(&server->is_stopping, true);
  MHD_stop_daemon(server->daemon);
  free(server);
}

#endif

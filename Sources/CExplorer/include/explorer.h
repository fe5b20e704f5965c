#ifndef KITH_EXPLORER_H
#define KITH_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An HTTP/1.1 server on libmicrohttpd, with a thread for each connection, and the files of the explorer's page. Without
// the package trait Explorer there are no files, and no server starts.

// Whether the package was built with the trait Explorer.
bool kith_http_is_built_in(void);

// What a client asks for. Valid during the call that gets it. Absent headers are NULL.
typedef struct kith_http_request {
  const char *method;
  const char *target;  // path and query, as the client wrote them
  const char *host, *origin, *authorization, *cookie, *if_none_match, *fetch_site;
  const uint8_t *body;
  size_t body_count;
  bool is_body_too_long;  // then the body is empty
  bool has_several_hosts;
} kith_http_request;

typedef struct kith_http_reply kith_http_reply;

// Sets the content of a reply, which is copied. Call this or the next function once, then add headers.
void kith_http_reply_bytes(kith_http_reply *reply, unsigned status, const uint8_t *bytes, size_t count);

// Makes the reply a stream, which ends with its connection at the latest. It is released once.
void kith_http_reply_stream(kith_http_reply *reply, void *stream);

// Adds a header, which is copied.
void kith_http_reply_header(kith_http_reply *reply, const char *name, const char *value);

// Whether the client has left, or the server ends, while the reply is made.
bool kith_http_is_abandoned(const kith_http_reply *reply);

// Called from many threads at once.
typedef struct kith_http_handler {
  void *context;
  void (*answer)(void *context, const kith_http_request *request, kith_http_reply *reply);
  // Writes the next bytes of a stream, at most `limit`, and returns their number; 0 if there are none after a short
  // wait; SIZE_MAX at the end.
  size_t (*next)(void *stream, uint8_t *bytes, size_t limit);
  void (*release)(void *stream);
} kith_http_handler;

typedef struct kith_http_limits {
  unsigned connection_count;
  unsigned idle_seconds;
  size_t target_count;  // bytes of path and query; longer ones are answered 414
  size_t body_count;    // bytes
} kith_http_limits;

typedef struct kith_http_server kith_http_server;

// Listens on an IPv4 or IPv6 address, at a port or, for 0, at a free one. Returns NULL and sets errno if that failed,
// EINVAL if the address is none.
kith_http_server *kith_http_start(
  const char *address, uint16_t port, kith_http_limits limits, kith_http_handler handler);

uint16_t kith_http_port(const kith_http_server *server);

// Accepts no more connections, ends those that there are, and waits for their threads.
void kith_http_stop(kith_http_server *server);

// Whether a text is an IPv4 address, or an IPv6 address without brackets.
bool kith_http_is_address(const char *text);

// A file of the page.
typedef struct kith_page_file {
  const char *name;
  const uint8_t *bytes;
  size_t count;
} kith_page_file;

// The files of the page; `count` is set to their number.
const kith_page_file *kith_page_files(size_t *count);

#endif

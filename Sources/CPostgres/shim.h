#ifndef KITH_POSTGRES_H
#define KITH_POSTGRES_H

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <string.h>

// Waits until the connection's socket can be read, or written, too, if `writes`: 1 if it can, 0 after the time, -1 on
// an error of the socket.
static inline int kith_pq_wait(const PGconn *connection, int writes, int milliseconds) {
  struct pollfd descriptor = {PQsocket(connection), (short)(POLLIN | (writes ? POLLOUT : 0)), 0};
  if (descriptor.fd < 0) return -1;
  int count = poll(&descriptor, 1, milliseconds);
  return count < 0 ? (errno == EINTR ? 0 : -1) : count;
}

// Waits for writing alone: while a connection is made.
static inline int kith_pq_wait_to_write(const PGconn *connection, int milliseconds) {
  struct pollfd descriptor = {PQsocket(connection), POLLOUT, 0};
  if (descriptor.fd < 0) return -1;
  int count = poll(&descriptor, 1, milliseconds);
  return count < 0 ? (errno == EINTR ? 0 : -1) : count;
}

// Waits for nothing but the time.
static inline void kith_pq_pause(int milliseconds) { poll(NULL, 0, milliseconds); }

// Drops what the server says beside its answers: a setting can silence it, so nothing follows from it.
static inline void kith_pq_drop_notice(void *context, const PGresult *notice) {
  (void)context;
  (void)notice;
}

static inline void kith_pq_drop_notices(PGconn *connection) {
  PQsetNoticeReceiver(connection, kith_pq_drop_notice, NULL);
}

// Whether an error ended the whole session: then the server may have committed before it.
static inline int kith_pq_is_fatal(const PGresult *result) {
  const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  return !severity || strcmp(severity, "ERROR") != 0;
}

#endif

// The rows of a page. The engine writes these structures, C reads them in place, and Python maps its arrays on them:
// no other text says how they lie in memory.
#ifndef KITH_RECORDS_H
#define KITH_RECORDS_H

#include <stdint.h>

enum { KITH_NOT_FOLLOWED = 0, KITH_IS_FOLLOWED = 1, KITH_NO_VIEWER = 2 };  // followed_by_viewer
// Who may see a post.
enum {
  KITH_AUDIENCE_EVERYONE = 0,
  KITH_AUDIENCE_UNLISTED = 1,
  KITH_AUDIENCE_FOLLOWERS = 2,
  KITH_AUDIENCE_MENTIONED = 3,
};
enum { KITH_NO_EVENT = 0, KITH_FOLLOWED_AT = 1, KITH_LIKED_AT = 2, KITH_ADDED_AT = 3 };  // event

typedef struct kith_user {
  int64_t id;
  uint32_t follower_count;
  uint32_t followee_count;
  uint32_t post_count;
  uint32_t name_start;  // in page.text
  uint32_t second;      // of the event, since 1970
  uint8_t name_size;
  uint8_t followed_by_viewer;
  uint8_t event;
  uint8_t is_private;           // only followers see the user's posts
  uint16_t flags;               // of the host's
  uint8_t display_name_size;    // 0 for none
  uint8_t kind_size;            // of the kind's name, which follows the display name; 0 for "user"
  uint32_t display_name_start;  // in page.display_names
} kith_user;

typedef struct kith_post {
  int64_t id;
  int64_t author;
  int64_t created_at;
  int64_t parent;     // the post that it replies to; 0 for none
  int64_t edited_at;  // with is_edited
  uint32_t like_count;
  uint32_t name_start;    // the author's name; the text follows it
  uint32_t liked_second;  // with has_liked_at, since 1970
  uint16_t text_size;
  uint8_t name_size;
  uint8_t has_viewer;
  uint8_t liked_by_viewer;
  uint8_t has_liked_at;  // 2 in a list of edges, whose time it is
  uint8_t is_edited;
  uint8_t reposter_size;  // of the name of who reposted it; 0 for a post at its own place
  uint16_t flags;         // of the host's
  uint8_t audience;       // who may see it
  uint8_t reserved2;
  int64_t reposted_by;       // in a timeline, who reposted it; 0 for a post at its own place
  uint32_t reposter_start;   // in page.text
  uint32_t reposted_second;  // since 1970
} kith_post;

// Where the payload of a row lies, in the page's bytes of payloads.
typedef struct kith_payload {
  uint32_t start;
  uint32_t size;
} kith_payload;

#endif

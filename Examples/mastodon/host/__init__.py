"""A host of Mastodon's client API on Kith: one process, one store, no other database."""

import signal

import kith
import pytest

# A shell that starts the tests in the background lets them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def graph() -> kith.Graph:
    """ann, bob and cem (1, 2, 3); ann follows bob, bob has the post 1."""
    made = kith.Graph()
    for name in ("ann", "bob", "cem"):
        made.add_user(name)
    made.follow(1, 2, at=5000)
    made.add_post(2, "Hello, world", created_at=1234)
    return made

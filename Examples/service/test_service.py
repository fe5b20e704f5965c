"""Tests the service with a client of its own, over a socket: pytest Examples/service"""

import socket
import threading
import time

import httpx
import kith
import pytest
import uvicorn
from service import make_app


@pytest.fixture
def client():
    graph = kith.Graph()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(graph), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60) as client:
        yield client
    graph.close()
    server.should_exit = True
    thread.join()


def test_service(client: httpx.Client) -> None:
    for name in ("ann", "bob", "anna"):
        assert client.post("/users", json={"username": name}).status_code == 201
    assert client.put("/users/1/follows/2").json() == {"changed": True}
    post = client.post("/users/2/posts", json={"text": "hello"}).json()["id"]
    assert [user["username"] for user in client.get("/search?q=an&as=2").json()] == ["ann", "anna"]
    page = client.get("/users/1/timeline").json()
    assert [each["text"] for each in page["posts"]] == ["hello"] and page["next"] is None
    assert client.get("/users/99/timeline").status_code == 404
    assert client.post("/users", json={"username": "ann"}).status_code == 409
    assert client.get("/users/1/timeline?cursor=x").json()["error"] == "invalidCursor"
    assert client.get(f"/posts/{post + 1}/likes").status_code == 404
    with client.stream("GET", f"/posts/{post}/likes") as stream:
        lines = (line for line in stream.iter_lines() if line)
        assert next(lines) == 'data: {"likes": 0}'
        with httpx.Client(base_url=client.base_url, timeout=60) as other:
            other.put(f"/users/1/likes/{post}")
        assert next(lines) == 'data: {"likes": 1}'

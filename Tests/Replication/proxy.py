"""A TCP proxy on loopback whose links can be cut, held and slowed: the network between hosts and servers."""

import asyncio
import threading

CHUNK = 1 << 16


class Link:
    """One way from a source to a server, with a port of its own."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.port = None
        self.is_cut = False
        self.delay = {"up": 0.0, "down": 0.0}  # seconds, towards and from the server
        self.connections = set()


class Connection:
    def __init__(self, ends):
        self.ends = ends
        self.hold = {"up": False, "down": False}  # its bytes wait; those of later connections pass


class Proxy:
    """All links, on one thread."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.links = []

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    def link(self, target_port):
        link = Link(target_port)
        self.call(self._listen(link))
        self.links.append(link)
        return link

    async def _listen(self, link):
        server = await asyncio.start_server(lambda r, w: self._serve(link, r, w), "127.0.0.1", 0)
        link.port = server.sockets[0].getsockname()[1]

    async def _serve(self, link, reader, writer):
        if link.is_cut:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", link.target_port)
        except OSError:
            writer.transport.abort()
            return
        connection = Connection((writer, far_writer))
        link.connections.add(connection)
        try:
            await asyncio.gather(
                self._pump(link, connection, "up", reader, far_writer),
                self._pump(link, connection, "down", far_reader, writer),
            )
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            link.connections.discard(connection)
            for end in connection.ends:
                end.transport.abort()

    async def _pump(self, link, connection, way, reader, writer):
        while True:
            data = await reader.read(CHUNK)
            if link.delay[way]:
                await asyncio.sleep(link.delay[way])
            while connection.hold[way]:
                await asyncio.sleep(0.02)
            if not data:
                writer.transport.abort()
                raise ConnectionError
            writer.write(data)
            await writer.drain()

    def cut(self, link):
        """Ends its connections and refuses new ones."""
        link.is_cut = True
        self.call(self._abort(link))

    def reset(self, link):
        """Ends its connections; new ones may come."""
        self.call(self._abort(link))

    async def _abort(self, link):
        for connection in list(link.connections):
            for end in connection.ends:
                end.transport.abort()

    def hold(self, link, way):
        """Bytes of the connections that there are wait until the link is whole again."""
        for connection in list(link.connections):
            connection.hold[way] = True

    def heal(self, link):
        link.is_cut = False
        for connection in list(link.connections):
            connection.hold = {"up": False, "down": False}
        link.delay = {"up": 0.0, "down": 0.0}

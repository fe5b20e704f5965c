"""Media: files beside the store, named by their hashes, and pictures of accounts that have none."""

from __future__ import annotations

import colorsys
import hashlib
import os
import re
import struct
import zlib
from typing import Any

import kith
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from . import shapes
from .store import Store, read_payload, to_payload
from .web import MAXIMUM_FILE, Call, Failure, invalid, not_found

#: The first bytes of the files that are taken, with their ending and their type. What the client says is not asked.
KINDS = (
    (rb"\x89PNG\r\n\x1a\n", "png", "image"),
    (rb"\xff\xd8\xff", "jpg", "image"),
    (rb"GIF8[79]a", "gif", "image"),
    (rb"RIFF....WEBP", "webp", "image"),
    (rb"....ftyp", "mp4", "video"),
    (rb"\x1aE\xdf\xa3", "webm", "video"),
    (rb"OggS", "ogg", "audio"),
    (rb"ID3|\xff[\xfb\xf3\xf2]", "mp3", "audio"),
)
TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "video/webm", "audio/ogg", "audio/mpeg"]
MAXIMUM_DESCRIPTION = 1500


def keep_file(store: Store, file: UploadFile) -> tuple[str, str]:
    """Keeps an uploaded file. Returns its name and its type."""
    data = file.file.read(MAXIMUM_FILE + 1)
    if len(data) > MAXIMUM_FILE:
        raise Failure(422, "Validation failed: File size must be less than 16 MB")
    for first, ending, kind in KINDS:
        if re.match(first, data, re.DOTALL):
            break
    else:
        raise invalid("File content type is invalid")
    name = f"{hashlib.sha256(data).hexdigest()}.{ending}"
    if not (store.media / name).exists():
        # Renamed when it is on the disk: a file with its name is whole.
        part = store.media / f"{name}.{os.urandom(8).hex()}"
        with open(part, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.rename(store.media / name)
    return name, kind


def upload(call: Call) -> Any:
    """POST /api/v1/media and /api/v2/media"""
    me, file = call.user, call.file("file")
    if file is None:
        raise invalid("File can't be blank")
    name, kind = keep_file(call.store, file)
    values = {"file": name, "type": kind, "owner": me, "description": _description(call)}
    id = call.graph.batch(lambda batch: call.store.add_kept(batch, values))
    return shapes.attachment(call, id, values)


def _description(call: Call) -> str | None:
    text = call.text("description")
    if len(text) > MAXIMUM_DESCRIPTION:
        raise invalid(f"Description is too long (maximum is {MAXIMUM_DESCRIPTION} characters)")
    return text or None


def own_media(call: Call, graph: kith.Reader, id: int) -> dict[str, Any]:
    """The description of a file that the user who asks has uploaded."""
    row = graph.post(id, includes_payloads=True)
    values = read_payload(row)
    if row.author_id != call.store.keeper or values.get("owner") != call.user:
        raise not_found()
    return values


def show(call: Call) -> Any:
    """GET and PUT /api/v1/media/:id"""
    id = call.id()
    values = own_media(call, call.graph, id)
    if call.request.method == "PUT" and "description" in call.values:
        values["description"] = _description(call)
        call.graph.edit_post(id, payload=to_payload(values))
    return shapes.attachment(call, id, values)


def serve(call: Call) -> Response:
    """GET /media/:name"""
    name = call.request.path_params["name"]
    if not re.fullmatch(r"[0-9a-f]{64}\.[a-z0-9]{3,4}", name) or not (call.store.media / name).is_file():
        raise not_found()
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    return FileResponse(call.store.media / name, headers=headers)


def picture(seed: int, side: int = 8, scale: int = 15) -> bytes:
    """A picture of mirrored squares, as PNG."""
    bits = hashlib.sha256(str(seed).encode()).digest()
    ink = bytes(int(255 * part) for part in colorsys.hls_to_rgb(bits[0] / 256, 0.45, 0.6))
    rows = b""
    for y in range(side):
        half = [bits[1 + y * 3 % 31] >> x & 1 for x in range(side // 2)]
        line = b"".join((ink if bit else b"\xee\xee\xee") * scale for bit in half + half[::-1])
        rows += (b"\0" + line) * scale

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side * scale, side * scale, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def avatar(call: Call) -> Response:
    """GET /avatars/:id.png"""
    return Response(picture(call.request.path_params["id"]), media_type="image/png")

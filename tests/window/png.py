"""Reads and writes the PNG files that the tests need: 8 bits a channel, RGB, not interlaced."""

import struct
import zlib


class Image:
    """Rows of RGB bytes from the top."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path} is no PNG file")
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, color, _, _, interlace = header
    if depth != 8 or color not in (2, 6) or interlace != 0:
        raise ValueError(f"{path}: only 8-bit RGB and RGBA without interlacing are read")
    channels = 3 if color == 2 else 4
    raw = zlib.decompress(packed)
    stride = width * channels
    rows, before = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before, channels)
        before = row
        if channels == 4:
            row = bytearray(byte for i, byte in enumerate(row) if i % 4 != 3)
        rows.append(row)
    return Image(width, height, rows)


def unfilter(kind, row, before, channels):
    """The row's bytes, from what is left after a filter of the PNG standard, section 9."""
    if kind == 1:
        for i in range(channels, len(row)):
            row[i] = (row[i] + row[i - channels]) & 255
    elif kind == 2:
        for i in range(len(row)):
            row[i] = (row[i] + before[i]) & 255
    elif kind == 3:
        for i in range(len(row)):
            left = row[i - channels] if i >= channels else 0
            row[i] = (row[i] + (left + before[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(row)):
            a = row[i - channels] if i >= channels else 0
            b = before[i]
            c = before[i - channels] if i >= channels else 0
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            nearest = a if pa <= pb and pa <= pc else b if pb <= pc else c
            row[i] = (row[i] + nearest) & 255
    return row


def write(path, image):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    raw, before = bytearray(), bytearray(3 * image.width)
    for row in image.rows:
        raw.append(2)  # each byte less the one above it
        raw += bytes((a - b) & 255 for a, b in zip(row, before))
        before = row
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(bytes(raw), 9)))
        file.write(chunk(b"IEND", b""))


def halved(image):
    """Half as wide and high: the mean of two by two pixels, in steps of 4 so that it packs well."""
    rows = []
    for y in range(0, image.height - 1, 2):
        upper, lower = image.rows[y], image.rows[y + 1]
        row = bytearray()
        for x in range(0, 3 * (image.width - 1), 6):
            for c in range(x, x + 3):
                mean = (upper[c] + upper[c + 3] + lower[c] + lower[c + 3] + 2) >> 2
                row.append(min(252, (mean + 2) & ~3))
        rows.append(row)
    return Image(image.width // 2, image.height // 2, rows)


def difference(a, b):
    """(mean absolute difference of all channels, share of pixels of which a channel differs by more than 40)."""
    if (a.width, a.height) != (b.width, b.height):
        return 255.0, 1.0
    total, clear = 0, 0
    for row_a, row_b in zip(a.rows, b.rows):
        if row_a == row_b:
            continue
        apart = [abs(x - y) for x, y in zip(row_a, row_b)]
        total += sum(apart)
        clear += sum(1 for i in range(0, len(apart), 3) if max(apart[i:i + 3]) > 40)
    pixels = a.width * a.height
    return total / (3 * pixels), clear / pixels

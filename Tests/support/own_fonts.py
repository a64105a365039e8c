"""Fonts made by the tests: for what no package of the machine needs to have."""

import hashlib
import pathlib
import struct
import zlib


def png(width, height, pixel):
    """A PNG picture in which every pixel is ``pixel`` (RGBA)."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = (b"\0" + bytes(pixel) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def install(directory, *files):
    """The environment in which ``files`` (names and bytes) are the only fonts, set as Debian sets fonts."""
    fonts = pathlib.Path(directory, "fonts")
    fonts.mkdir(exist_ok=True)
    for name, data in files:
        fonts.joinpath(name).write_bytes(data)
    scaling = "/usr/share/fontconfig/conf.avail/10-scale-bitmap-fonts.conf"
    configuration = pathlib.Path(directory, "fonts.conf")
    configuration.write_text(f'<fontconfig><dir>{fonts}</dir><cachedir>{directory}/cache</cachedir>'
                             f'<include ignore_missing="yes">{scaling}</include></fontconfig>')
    return {"FONTCONFIG_FILE": str(configuration)}


def collection(fonts):
    """A font collection (OpenType, "Font Collections"): a head, then the fonts, whose tables' offsets count from the
    begin of the file.
    """
    start = 12 + 4 * len(fonts)
    head, bodies = b"ttcf" + struct.pack(">HHI", 1, 0, len(fonts)), b""
    for font in fonts:
        place = start + len(bodies)
        head += struct.pack(">I", place)
        font = bytearray(font)
        for record in range(12, 12 + 16 * struct.unpack(">H", font[4:6])[0], 16):
            offset, = struct.unpack(">I", font[record + 8:record + 12])
            font[record + 8:record + 12] = struct.pack(">I", offset + place)
        bodies += bytes(font) + bytes(-len(font) % 4)
    return head + bodies


def color_font(family, scalar, picture, size, **more):
    """A font whose only glyph is a picture of ``size`` × ``size`` pixels, as Noto Color Emoji has them (CBDT, CBLC);
    ``more`` are tables beside those that it needs.
    """
    unit, glyphs = 1000, 2
    texts = [text.encode("utf-16-be") for text in (family, "Regular", family, family.replace(" ", ""))]
    records, data = b"", b"".join(texts)
    for number, text, place in zip((1, 2, 4, 6), texts, (sum(map(len, texts[:i])) for i in range(4))):
        records += struct.pack(">HHHHHH", 3, 1, 0x409, number, len(text), place)
    line = struct.pack(">bbBbbbbbbbbb", size, 0, size, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    blob = struct.pack(">BBbbB", size, size, 0, size, size) + struct.pack(">I", len(picture)) + picture
    tables = {
        b"CBDT": struct.pack(">I", 0x30000) + blob,
        b"CBLC": (struct.pack(">II", 0x30000, 1) + struct.pack(">IIII", 56, 24, 1, 0) + line + line
                  + struct.pack(">HHBBBb", 1, 1, size, size, 32, 1)
                  + struct.pack(">HHI", 1, 1, 8) + struct.pack(">HHIII", 1, 17, 4, 0, len(blob))),
        b"OS/2": (struct.pack(">HhHHH", 3, unit, 400, 5, 0) + bytes(22) + bytes(10) + bytes(16) + b"TEST"
                  + struct.pack(">HHHhhhHH", 0x40, 0xFFFF, 0xFFFF, unit, 0, 0, unit, 0) + bytes(8)
                  + struct.pack(">hhHHH", 500, 700, 0, 32, 1)),
        b"cmap": (struct.pack(">HHHHI", 0, 1, 3, 10, 12) + struct.pack(">HHIII", 12, 0, 28, 0, 1)
                  + struct.pack(">III", scalar, scalar, 1)),
        b"head": (struct.pack(">IIIIHH", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, unit) + bytes(16)
                  + struct.pack(">hhhhHHhhh", 0, 0, unit, unit, 0, 8, 2, 0, 0)),
        b"hhea": (struct.pack(">Ihhh", 0x10000, unit, 0, 0) + struct.pack(">H", unit) + bytes(22)
                  + struct.pack(">H", glyphs)),
        b"hmtx": struct.pack(">Hh", unit, 0) * glyphs,
        b"maxp": struct.pack(">IH", 0x10000, glyphs) + bytes(26),
        b"name": struct.pack(">HHH", 0, 4, 6 + len(records)) + records + data,
        b"post": struct.pack(">I", 0x30000) + bytes(28),
        **{tag.encode(): table for tag, table in more.items()},
    }
    head = b"\0\1\0\0" + struct.pack(">HHHH", len(tables), 128, 3, 32)
    place, body = 12 + 16 * len(tables), b""
    for tag, table in tables.items():
        padded = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        head += tag + struct.pack(">III", total, place + len(body), len(table))
        body += padded
    return head + body


def directory(data, index=0):
    """The table directory of a font, in a collection of the one at ``index``: its bytes, and for each tag the offset
    and length in ``data``.
    """
    start = struct.unpack(">I", data[12 + 4 * index:16 + 4 * index])[0] if data[:4] == b"ttcf" else 0
    count, = struct.unpack(">H", data[start + 4:start + 6])
    head = data[start:start + 12 + 16 * count]
    records = (struct.unpack(">4sIII", head[place:place + 16]) for place in range(12, len(head), 16))
    return head, {tag: (offset, length) for tag, _, offset, length in records}


def tables(data, index=0):
    """The tables of a font by tag."""
    return {tag: data[offset:offset + length] for tag, (offset, length) in directory(data, index)[1].items()}


def served_name(data, index=0):
    """The name under which the daemon serves a font: the hash of its directory and of its file's size."""
    head, _ = directory(data, index)
    digest = hashlib.sha256(head + struct.pack(">Q", len(data))).hexdigest()[:32]
    return digest + (".otf" if head[:4] == b"OTTO" else ".ttf")

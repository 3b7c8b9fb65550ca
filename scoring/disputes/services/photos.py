"""Decode and re-encode photos, so that nothing but the image itself is stored."""

import io
import warnings
from typing import IO, Final

from PIL import Image, ImageOps

from tournament.errors import DomainError
from tournament.intake import PHOTO_FILE_LIMITS, read_in_subprocess
from tournament.lazy_text import lazy_text

PHOTO_FORMATS: Final = ("JPEG", "PNG", "WEBP")
MAX_PHOTO_BYTES: Final = PHOTO_FILE_LIMITS.most_bytes
_MAX_PIXELS: Final = 80_000_000
_MAX_SIDE_PIXELS: Final = 2000
_JPEG_QUALITY: Final = 85


def reencode_photo(file: IO[bytes]) -> bytes:
    """Return a photo as an upright JPEG with at most 2,000 pixels on each side and without metadata.

    Raises:
        DomainError: `photo-too-large`, `no-photo`, and the errors of `read_in_subprocess`.
    """
    sent = file.read(MAX_PHOTO_BYTES + 1)
    if len(sent) > MAX_PHOTO_BYTES:
        raise DomainError(
            "photo-too-large",
            lazy_text(
                "This photo is larger than %(most_bytes)s MB. Send a smaller one.",
                most_bytes=MAX_PHOTO_BYTES // 1024 // 1024,
            ),
        )
    return read_in_subprocess(PHOTO_FILE_LIMITS, _reencode_photo, sent)


def _reencode_photo(sent: bytes) -> bytes:
    """Decode and re-encode a photo.

    Run this in a separate process, because decoding a small malicious file can exhaust the memory.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(sent), formats=PHOTO_FORMATS) as picture:
                return _write_jpeg(picture)
    except (DomainError, MemoryError):
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise DomainError(
            "photo-too-large",
            lazy_text("This photo has too many pixels. Set the camera to fewer megapixels and take it again."),
        ) from error
    except Exception as error:  # a decoder can raise anything on a file that is no picture
        raise DomainError(
            "no-photo", lazy_text("This file is not a readable photo. Take it again, or send a JPEG or PNG.")
        ) from error


def _write_jpeg(picture: Image.Image) -> bytes:
    width, height = picture.size
    most = _MAX_PIXELS if picture.format == "JPEG" else _MAX_PIXELS // 2  # a JPEG can be decoded at a smaller size
    if width * height > most:
        raise DomainError(
            "photo-too-large",
            lazy_text("This photo has %(width)s × %(height)s pixels. Send a smaller one.", width=width, height=height),
        )
    picture.draft("RGB", (_MAX_SIDE_PIXELS, _MAX_SIDE_PIXELS))
    upright = ImageOps.exif_transpose(picture)
    upright.thumbnail((_MAX_SIDE_PIXELS, _MAX_SIDE_PIXELS))
    flat, target = _flatten_onto_white(upright), io.BytesIO()
    flat.info = {}  # Pillow would copy a comment from `info` into the new file
    flat.save(target, "JPEG", quality=_JPEG_QUALITY)
    return target.getvalue()


def _flatten_onto_white(picture: Image.Image) -> Image.Image:
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    ground = Image.new("RGB", layer.size, "white")
    ground.paste(layer, mask=layer.getchannel("A"))
    return ground

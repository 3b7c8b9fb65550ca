"""Read QR codes in pictures. Other kinds of codes are ignored, because text and lines can look like them."""

from typing import Any

import zxingcpp


def codes_in(picture: Any) -> list[str]:
    """Return the contents of the QR codes in a picture, from left to right."""
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return [code.text for code in sorted(found, key=lambda code: code.position.top_left.x)]

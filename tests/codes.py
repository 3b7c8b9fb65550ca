"""Read QR codes. Other kinds of codes would be seen in letters and lines."""

from typing import Any

import zxingcpp


def codes_in(picture: Any) -> list[str]:
    """Return the contents from left to right."""
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return [code.text for code in sorted(found, key=lambda code: code.position.top_left.x)]

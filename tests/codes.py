"""QR codes as a phone reads them: other kinds of codes are seen in letters and lines now and then."""

from typing import Any

import zxingcpp


def codes_in(picture: Any) -> list[str]:
    """What they say, from left to right."""
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return [code.text for code in sorted(found, key=lambda code: code.position.top_left.x)]

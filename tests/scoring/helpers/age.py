"""Encrypt files in the age format with far less work than the library.

The library needs one to four seconds of processor time to encrypt a file with a passphrase, and as much to decrypt it.
Each file states how much work it needs, so the library decrypts these files immediately. The format is
described at https://age-encryption.org/v1.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from base64 import b64encode
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

WORK_FACTOR: Final = 10
"""The binary logarithm of scrypt's cost. The library takes 17 to 20, depending on the computer."""
CHUNK_BYTES: Final = 64 << 10


def encrypt_quickly(content: bytes, passphrase: str) -> bytes:
    """Encrypt this content as an age file, as `pyrage.passphrase.encrypt` does."""
    file_key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
    scrypt_salt = b"age-encryption.org/v1/scrypt" + salt
    wrap_key = hashlib.scrypt(passphrase.encode(), salt=scrypt_salt, n=1 << WORK_FACTOR, r=8, p=1, dklen=32)
    wrapped = ChaCha20Poly1305(wrap_key).encrypt(bytes(12), file_key, None)
    head = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (_base64(salt), WORK_FACTOR, _base64(wrapped))
    mac = hmac.digest(_derive(file_key, b"", b"header"), head, "sha256")
    return head + b" " + _base64(mac) + b"\n" + nonce + _encrypt_chunks(_derive(file_key, nonce, b"payload"), content)


def _encrypt_chunks(key: bytes, content: bytes) -> bytes:
    """Encrypt each chunk with its number, and a final byte that is 1 in the last chunk only."""
    cipher = ChaCha20Poly1305(key)
    starts = range(0, max(len(content), 1), CHUNK_BYTES)
    return b"".join(
        cipher.encrypt(
            number.to_bytes(11, "big") + bytes([start == starts[-1]]), content[start : start + CHUNK_BYTES], None
        )
        for number, start in enumerate(starts)
    )


def _derive(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt, info).derive(key)


def _base64(content: bytes) -> bytes:
    return b64encode(content).rstrip(b"=")

"""PostgreSQL's storage format of passwords, so that the passwords themselves need not be sent."""

import base64
import hashlib
import hmac
import secrets

_ITERATIONS = 4096  # PostgreSQL's own number


def scram_verifier(password: str, salt: bytes | None = None) -> str:
    """Return `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>` (RFC 5802, RFC 7677).

    Raises ValueError for a password that is empty or not printable ASCII, which would need SASLprep.
    """
    if not password or not password.isascii() or not password.isprintable():
        raise ValueError("the password must be printable ASCII and not empty")
    salt = secrets.token_bytes(16) if salt is None else salt
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    stored_key = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    return f"SCRAM-SHA-256${_ITERATIONS}:{_text(salt)}${_text(stored_key)}:{_text(server_key)}"


def _text(octets: bytes) -> str:
    return base64.b64encode(octets).decode()

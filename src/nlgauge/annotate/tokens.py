"""Access tokens of a campaign: only their SHA-256 digests are saved."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

import msgspec

from nlgauge._core.paths import Stamp, stamp_of, write_whole
from nlgauge.errors import ResultError

TOKENS = "tokens.json"


class _Saved(msgspec.Struct):
    """The content of tokens.json: digests by role, and the last port, so that addresses stay valid."""

    digests: dict[str, str] = {}
    port: int = 0


class Tokens:
    """The tokens of a campaign; a change of the file by another process is noticed."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / TOKENS
        self._stamp: Stamp | None = None
        self._saved = _Saved()
        self._read()

    def missing(self, roles: list[str]) -> list[str]:
        """Return the roles without a token."""
        self._read()
        return [role for role in roles if role not in self._saved.digests]

    def new(self, role: str) -> str:
        """Return a new token of a role; an earlier one is no longer valid."""
        self._read()
        token = secrets.token_urlsafe(24)
        self._write(_Saved({**self._saved.digests, role: _digest(token)}, self._saved.port))
        return token

    @property
    def port(self) -> int:
        """Port of the last server, 0 if there was none."""
        self._read()
        return self._saved.port

    def set_port(self, port: int) -> None:
        """Save the port of the server."""
        self._read()
        if port != self._saved.port:
            self._write(_Saved(self._saved.digests, port))

    def role_of(self, token: str) -> str:
        """Return the role of a token, "" if it is unknown; all digests are compared."""
        self._read()
        digest = _digest(token)
        matches = [role for role, saved in self._saved.digests.items() if hmac.compare_digest(saved, digest)]
        return matches[0] if matches else ""

    def _read(self) -> None:
        if not self._path.exists():
            return
        stamp = stamp_of(self._path)
        if stamp == self._stamp:
            return
        try:
            saved = msgspec.json.decode(self._path.read_bytes(), type=_Saved)
        except (msgspec.DecodeError, OSError) as error:
            raise ResultError(
                f"{self._path} is damaged ({error}); remove it, and `nlgauge annotate serve` writes a"
                " new file."
            ) from None
        owners: dict[str, str] = {}
        for role, digest in saved.digests.items():
            if digest in owners:
                raise ResultError(
                    f"{TOKENS} has the same token for {owners[digest]} and {role}",
                    cli=f"nlgauge annotate tokens --new {role} creates a new address",
                    python="remove one of the two",
                )
            owners[digest] = role
        self._saved, self._stamp = saved, stamp

    def _write(self, saved: _Saved) -> None:
        # Created with its mode first, which `write_whole` does not change.
        os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600))
        write_whole(self._path, msgspec.json.encode(saved) + b"\n")
        self._saved, self._stamp = saved, stamp_of(self._path)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()

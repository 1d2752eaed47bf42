"""Addresses of this machine."""

from __future__ import annotations

import ipaddress

from nlgauge.errors import ParameterError


def check_host(host: str) -> None:
    """Raise ParameterError for the addresses 0.0.0.0 and ::, which a browser cannot open on another machine."""
    try:
        is_every_address = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return
    if is_every_address:
        raise ParameterError(
            f"{host!r} stands for every address of this machine, but the server answers at one",
            python="pass the address that other machines use as host",
            cli="name the address that other machines use with --host",
        )


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

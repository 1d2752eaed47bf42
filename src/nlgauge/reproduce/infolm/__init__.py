"""The InfoLM paper (Colombo, Clavel, Piantanida: AAAI 2022)."""

"""The COSMIC paper (Darrin, Formont, Cheung, Piantanida: ACL 2024)."""

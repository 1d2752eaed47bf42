"""The paper on Shannon Score (Egan, Vasilyev, Bohannon: AAAI 2022)."""

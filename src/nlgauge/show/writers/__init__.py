"""How results and explanations look in a terminal."""

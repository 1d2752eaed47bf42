"""Features that split texts: tokens, characters, stems, sentences."""

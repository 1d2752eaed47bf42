"""Features of words: WordNet, stop words, paraphrases, readability, word vectors."""

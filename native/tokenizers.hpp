// Twin of features/tokenizers.py: where the tokens of a text begin and end.
#pragma once

#include "texts.hpp"

#include <string>

// The classes of characters, as bits in the order of features/character_classes.py.
enum CharacterClass : uint8_t { LETTER = 1, MARK = 2, NUMBER = 4, OTHER = 8, WORD = 16, SPACE = 32, UNSPACED = 64 };

// The classes of every code point; nullptr until Python's table is read.
extern const uint8_t *character_classes;

// Reads the table where that has not been done; whoever asks for classes has called it before, with the interpreter's lock.
void need_character_classes();

inline bool of_class(char32_t sign, uint8_t wanted) { return character_classes[sign] & wanted; }

// The part of a text that is a token.
struct Span {
  Span() = default;
  Span(uint32_t start, uint32_t end) : start(start), end(end) {}

  uint32_t start, end;
};

struct Tokenizer {
  // What happens to upper case before the text is split.
  Case letters;
  // Changes the text where a step comes before the split, and puts its tokens into `spans`, which are empty before.
  void (*split)(Text &text, std::vector<Span> &spans);
  // The same for texts that are ASCII.
  void (*split_ascii)(AsciiText &text, std::vector<Span> &spans);
};

// The tokenizer of a name; nullptr where only Python has it.
const Tokenizer *compiled_tokenizer(const std::string &name);

"""Detect the encoding of a list of names, and return alternatives that are equally likely.

Each encoding turns the same bytes into different letters. The right encoding produces words that look like names in one
of its languages. A wrong encoding puts symbols, capitals or foreign letters inside words. The probabilities of letter
pairs come from `names.txt`, which has the names of one language on each line (from Faker, MIT license, and our own).
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

NAMES_FILE: Final = Path(__file__).with_name("names.txt")
WESTERN_LANGUAGES: Final = "en de fr es pt it nl sv da no fi is et sq"
CENTRAL_EUROPEAN_LANGUAGES: Final = "cs sk pl hu ro hr sl de sq"
CYRILLIC_LANGUAGES: Final = "ru uk bg sr mk"
ENCODINGS: Final[Mapping[str, tuple[float, str]]] = {
    "cp1252": (0, WESTERN_LANGUAGES),
    "iso8859_15": (-1.5, WESTERN_LANGUAGES),
    "mac_roman": (-2, WESTERN_LANGUAGES),
    "cp850": (-1.5, WESTERN_LANGUAGES),
    "cp437": (-2, WESTERN_LANGUAGES),
    "cp860": (-4, "pt"),
    "cp861": (-4, "is"),
    "cp863": (-4, "fr"),
    "cp865": (-4, "da no sv"),
    "mac_iceland": (-4, "is"),
    "cp1250": (0, CENTRAL_EUROPEAN_LANGUAGES),
    "iso8859_2": (-1, CENTRAL_EUROPEAN_LANGUAGES),
    "cp852": (-1.5, CENTRAL_EUROPEAN_LANGUAGES),
    "mac_latin2": (-3, CENTRAL_EUROPEAN_LANGUAGES),
    "mac_croatian": (-4, "hr sl"),
    "mac_romanian": (-4, "ro"),
    "cp1254": (-0.2, "tr"),
    "iso8859_9": (-1, "tr"),
    "cp857": (-1.5, "tr"),
    "mac_turkish": (-3, "tr"),
    "cp1257": (0, "lt lv et"),
    "iso8859_13": (-1, "lt lv et"),
    "iso8859_4": (-2, "lt lv et"),
    "cp775": (-1.5, "lt lv et"),
    "cp1251": (0, CYRILLIC_LANGUAGES),
    "koi8_r": (-1, "ru bg"),
    "koi8_u": (-1, "uk"),
    "cp866": (-1.5, "ru bg"),
    "cp1125": (-2, "uk"),
    "iso8859_5": (-1.5, CYRILLIC_LANGUAGES),
    "mac_cyrillic": (-2, CYRILLIC_LANGUAGES),
    "cp855": (-2, CYRILLIC_LANGUAGES),
    "cp1253": (0, "el"),
    "iso8859_7": (-1, "el"),
    "cp737": (-1.5, "el"),
    "cp869": (-2, "el"),
    "mac_greek": (-3, "el"),
    "cp1255": (0, "he"),
    "iso8859_8": (-1, "he"),
    "cp862": (-1.5, "he"),
    "cp1256": (0, "ar fa"),
    "iso8859_6": (-1, "ar"),
    "cp720": (-2, "ar"),
    "cp874": (-0.5, "th"),
    "cp1258": (-1.5, "vi"),
    "cp932": (-1, "ja"),
    "euc_jp": (-2, "ja"),
    "gb18030": (-1, "zh"),
    "cp950": (-1, "zh_TW"),
    "cp949": (-1, "ko"),
}
"""Each encoding's prior likelihood (a logarithm), and its languages."""

COMMON_ENCODINGS: Final = (
    *("utf-8", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp850", "cp852"),
    "mac_roman",
)
"""Common encodings that are offered in addition to the likely ones."""
MULTIBYTE_ENCODINGS: Final = frozenset({"cp932", "euc_jp", "gb18030", "cp950", "cp949"})
BOM_ENCODINGS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
MAX_SAMPLE_LINES: Final = 60
"""The number of lines with non-ASCII letters that are examined."""
MAX_SAMPLE_BYTES: Final = 6_000
MIN_CONFIDENCE_MARGIN: Final = 4.5
"""The margin (a logarithm) at which a result is certain: the best encoding is ninety times as likely as any other."""
MAX_CHOICE_MARGIN: Final = 9.0
"""An encoding is offered if its likelihood (a logarithm) is at most this much lower than the best one."""
MAX_ENCODING_CHOICES: Final = 5
MAX_COINCIDENTAL_UTF8_GROUPS: Final = 3
"""The largest number of groups of non-ASCII letters that may be valid UTF-8 by coincidence."""
UNKNOWN_LETTER_COST: Final = -9.0
"""The score of a character that never occurs in names."""
REJECTED_ENCODING_COST: Final = -100.0
"""An encoding is dropped if its symbols score this much worse than those of the best encoding."""
MAX_FOREIGN_WORDS_COST: Final = -4.0
"""The lowest total score of ASCII words that look foreign. It is limited because players can come from anywhere."""
LOWERCASE_START_COST: Final = -2.0
"""The score of a name that begins with a lowercase letter."""
LANGUAGE_MISMATCH_COST: Final = -4.0
LETTER_PAIR_SMOOTHING: Final = 4.0
QUOTATION_MARKS: Final = ("“”", "„“", "«»", "‘’", "„”", "»«")
MIN_PLAUSIBLE_WORD_SCORE: Final = -4.0
"""The lowest average likelihood (a logarithm) of letter pairs in words that belong to a known language."""
ORDINARY_SYMBOLS: Final = frozenset("’‘“”«»„–—…€£°ºª·´\u00a0¿¡№״׳‏‎،")
_WORD_PATTERN: Final = re.compile(r"(?:[^\W\d_]|[^\x00-\x7f]|(?<=\w)'(?=\w))+")
_TRIMMED_CHARACTERS: Final = "".join(ORDINARY_SYMBOLS) + "'"


@dataclass(frozen=True, slots=True)
class _DetectedEncoding:
    """An encoding with the decoded text. If it is uncertain, `choices` contains all equally likely encodings."""

    encoding: str
    text: str
    choices: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        return not self.choices


def detect_encoding(content: bytes) -> _DetectedEncoding:
    """Detect a list's encoding from a byte order mark, from valid UTF-8, or from words that look like names."""
    for mark, encoding in BOM_ENCODINGS:
        if content.startswith(mark):
            return _DetectedEncoding(encoding, content.decode(encoding, errors="replace"))
    if unicode := _detect_utf_16(content) or _detect_utf_8(content):
        is_certain = unicode.is_sure and not _may_be_utf_8_by_chance(unicode)
        return unicode if is_certain else _add_alternative_encodings(unicode, content)
    (best, encoding), *others = _rank_encodings(content)
    text = content.decode(encoding, errors="replace")
    sample = _sample_content(content)[0].decode(encoding, errors="replace")
    if looks_misdecoded(sample) or _compute_average_likelihood(sample, encoding) < MIN_PLAUSIBLE_WORD_SCORE:
        return _DetectedEncoding(
            encoding,
            text,
            _list_encoding_choices(encoding, [name for _score, name in others[: MAX_ENCODING_CHOICES - 1]]),
        )
    if any(score > best - MIN_CONFIDENCE_MARGIN for score, _name in others):
        return _DetectedEncoding(
            encoding,
            text,
            _list_encoding_choices(encoding, [name for score, name in others if score > best - MAX_CHOICE_MARGIN]),
        )
    return _DetectedEncoding(encoding, text)


def _may_be_utf_8_by_chance(detected: _DetectedEncoding) -> bool:
    """Return whether the bytes may be valid UTF-8 only by coincidence.

    This is possible if the text has few groups of non-ASCII characters and looks wrongly decoded.
    """
    beyond = re.findall("[^\x00-\x7f]+", detected.text[:100_000])
    return (
        detected.encoding == "utf-8"
        and 0 < len(beyond) <= MAX_COINCIDENTAL_UTF8_GROUPS
        and looks_misdecoded(detected.text[:100_000])
    )


def _add_alternative_encodings(detected: _DetectedEncoding, content: bytes) -> _DetectedEncoding:
    sample = _sample_content(content)[0]
    others = [name for _score, name in _rank_encodings(content) if not looks_misdecoded(decode_as(sample, name))]
    if detected.is_sure and not others:
        return detected
    choices = [detected.encoding, *(others or ["cp1252"])][:MAX_ENCODING_CHOICES]
    return _DetectedEncoding(detected.encoding, detected.text, tuple(choices))


def _list_encoding_choices(encoding: str, others: list[str]) -> tuple[str, ...]:
    return tuple([encoding, *others, *(["cp1252", "cp1250"] if not others else [])][:MAX_ENCODING_CHOICES])


def looks_misdecoded(text: str) -> bool:
    """Return whether the text has symbols or capitals inside words, which indicates a wrong encoding.

    >>> [looks_misdecoded(text) for text in ("Zo‰ Quinn", "AntonÌn Dvo¯·k", "Mant” Po’ka", "Zoë Quinn", "“Zoë”")]
    [True, True, True, False, False]
    """
    if text.isascii():
        return False
    cost, _words = _compute_symbol_cost(_SYMBOLS_IN_AMOUNTS_PATTERN.sub("", text))
    return cost <= 0.6 * UNKNOWN_LETTER_COST


_SYMBOLS_IN_AMOUNTS_PATTERN: Final = re.compile("(?<=\\d)[ \u00a0]?[€£\u00a0]|[€£][ \u00a0]?(?=\\d)")
"""Matches symbols and spaces next to a digit that are normal in a list of payments, such as the “€” in “25 €”."""


def decode_as(content: bytes, encoding: str) -> str:
    """Decode the text. Invalid bytes become “�”."""
    return content.decode(encoding, errors="replace").removeprefix("\ufeff")


def is_text_encoding(name: str) -> bool:
    """Return whether Python has a text encoding with this name.

    >>> [is_text_encoding(name) for name in ("cp1250", "latin-1", "rot13", "base64", "nonsense", "undefined")]
    [True, True, False, False, False, False]
    """
    try:
        return bool(name) and b"Ada".decode(name, errors="replace") != "" and isinstance("Ada".encode(name), bytes)
    except (LookupError, UnicodeError, ValueError):
        return False


def _detect_utf_16(content: bytes) -> _DetectedEncoding | None:
    """Detect UTF-16 without a byte order mark, in which each ASCII character has a zero byte."""
    if b"\x00" not in content[:4000] or len(content) % 2:
        return None
    even, odd = content[:4000:2].count(0), content[1:4000:2].count(0)
    encoding = "utf-16-le" if odd > 5 * even else "utf-16-be" if even > 5 * odd else ""
    if not encoding:
        return None
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return _DetectedEncoding(encoding, text) if "\n" in text or "\r" in text else None


def _detect_utf_8(content: bytes) -> _DetectedEncoding | None:
    """Detect UTF-8, even if a few bytes are damaged, or the Japanese encoding ISO-2022-JP."""
    if b"\x1b$" in content or b"\x1b(" in content:
        try:
            return _DetectedEncoding("iso2022_jp", content.decode("iso2022_jp"))
        except UnicodeDecodeError:
            pass
    try:
        return _DetectedEncoding("utf-8", content.decode("utf-8"))
    except UnicodeDecodeError:
        text = content.decode("utf-8", errors="replace")
    bad, whole = text.count("\ufffd", 0, 100_000), len(re.findall("[^\x00-\x7f\ufffd]", text[:100_000]))
    return _DetectedEncoding("utf-8", text, ("utf-8",)) if whole >= max(2, 2 * bad) else None


def _rank_encodings(content: bytes) -> list[tuple[float, str]]:
    """Rank the encodings, most likely first. If several give the same text, only the most common one is kept."""
    sample, plain = _sample_content(content)
    beyond = Counter(content.translate(None, bytes(range(128))))
    candidates: list[tuple[float, str, str, list[str]]] = []
    for name, (prior, _languages) in ENCODINGS.items():
        text = unicodedata.normalize("NFC", sample.decode(name, errors="replace"))
        invalid = _count_invalid(content, beyond, text, name)
        if invalid <= len(sample) / 20 + 2:
            cost, words = _compute_symbol_cost(text)
            candidates.append(
                (prior + 2 * UNKNOWN_LETTER_COST * invalid + cost, name, text.translate(_EQUIVALENT_LETTERS), words)
            )
    least = max((score for score, *_rest in candidates), default=0.0) + REJECTED_ENCODING_COST
    languages = load_name_words_by_language().items()
    usual = [word.lower() for word, _count in Counter(plain).most_common(80)]
    known = [{name: language.score(word) for name, language in languages} for word in usual]
    by_text: dict[str, tuple[float, str]] = {}
    for score, name, text, words in candidates:
        if score >= least:
            total = score + _compute_likelihood(words, known, ENCODINGS[name][1].split())
            if total > by_text.get(text, (-math.inf, ""))[0]:
                by_text[text] = (total, name)
    return sorted(by_text.values(), reverse=True) or [(-math.inf, "cp1252")]


def _count_invalid(content: bytes, beyond: Counter[int], sample: str, encoding: str) -> int:
    """Return the number of bytes in a file that are invalid in an encoding.

    `beyond` is the number of times that each non-ASCII byte occurs in the file's `content`. `sample` is a part of the
    content, decoded with this encoding.

    For a multibyte encoding, the result is the number of replacement characters in `sample`. If the sample has none,
    they are counted in the whole content.
    """
    if encoding in MULTIBYTE_ENCODINGS:
        return sample.count("\ufffd") or content.decode(encoding, errors="replace").count("\ufffd")
    return sum(beyond[code] for code in _find_unassigned_bytes(encoding))


@cache
def _find_unassigned_bytes(encoding: str) -> list[int]:
    return [code for code in range(128, 256) if bytes([code]).decode(encoding, errors="replace") == "\ufffd"]


_EQUIVALENT_LETTERS: Final = str.maketrans("ȘșȚț", "ŞşŢţ")


def _sample_content(content: bytes) -> tuple[bytes, list[str]]:
    """Return some lines with non-ASCII letters, and ASCII words from the beginning of the list."""
    lines = content.splitlines()
    beyond = [line[:400] for line in lines if not line.isascii()]
    step = max(1, len(beyond) // MAX_SAMPLE_LINES)
    # The headings are skipped, because many lists have English ones.
    plain = re.findall(rb"(?<![\x80-\xff\w@.])[A-Za-z]{3,}(?![\x80-\xff\w@.])", b"\n".join(lines[1:400]))
    return b"\n".join(beyond[:20] + beyond[20::step][:MAX_SAMPLE_LINES])[:MAX_SAMPLE_BYTES], [
        word.decode() for word in plain
    ]


def _compute_likelihood(words: list[str], plain: list[dict[str, float]], names: list[str]) -> float:
    """Return how likely these words are in the language that fits them best, as a logarithm."""
    languages = load_name_words_by_language()
    scored = [{name: languages[name].score(_normalize_word(word)) for name in (*names, "en")} for word in words]
    small = LOWERCASE_START_COST * sum(word[0].islower() and len(word) > 3 for word in words)
    foreign = {name: sum(_compute_word_likelihood(word, name) - max(word.values()) for word in plain) for name in names}
    return small + max(
        sum(_compute_word_likelihood(word, name) for word in scored) + max(foreign[name], MAX_FOREIGN_WORDS_COST)
        for name in names
    )


def _compute_word_likelihood(scores: dict[str, float], name: str) -> float:
    """Return how likely a word is in a language, as a logarithm.

    A word of another language lowers the result only by a limited amount, because names can be foreign.
    """
    return max(scores[name], max(scores.values()) + LANGUAGE_MISMATCH_COST)


def _compute_symbol_cost(text: str) -> tuple[float, list[str]]:
    """Return two results: the cost of misplaced symbols and capitals, and a list of the words with non-ASCII letters.

    The cost is a negative number or 0.
    """
    cost, words, end = 0.0, [], 0
    for match in _WORD_PATTERN.finditer(text):
        word = match[0].strip(_TRIMMED_CHARACTERS)
        if match[0].isascii() or not any(map(str.isalpha, word)):
            continue
        start = match.start() + match[0].index(word)
        cost += _compute_cost_between_words(text, end, start)
        end = start + len(word)
        cost += _compute_capitals_cost(word) + 1.5 * UNKNOWN_LETTER_COST * sum(
            not _can_occur_in_names(char) for char in word
        )
        # O’Brien has a capital after the apostrophe. “P’o” may have a wrongly decoded letter.
        cost += 0.6 * UNKNOWN_LETTER_COST * sum(before == "’" and after.islower() for before, after in pairwise(word))
        words.append(word.translate(_EQUIVALENT_LETTERS))
    return cost + _compute_cost_between_words(text, end, len(text)), words


def _normalize_word(word: str) -> str:
    return word.replace("İ", "i").lower().replace("’", "").replace("'", "")


def _can_occur_in_names(char: str) -> bool:
    return char in "’'" or (unicodedata.category(char)[0] in "LM" and char not in "ªºµƒ")


def _compute_cost_between_words(text: str, start: int, end: int) -> float:
    """Return the cost of unusual symbols between words, as a negative number or 0.

    Quotation marks cost little. Box-drawing characters cost a lot.
    """
    cost = 0.0
    for place in range(start, end):
        symbol = text[place]
        if symbol.isascii():
            continue
        around = text[max(place - 2, 0) : place] + text[place + 1 : place + 3]
        if unicodedata.category(symbol) in ("Cc", "Cn", "Co"):
            cost += 3 * UNKNOWN_LETTER_COST
        elif symbol in "€£\u00a0" and any(map(str.isdigit, around)):
            cost += 0.3 * UNKNOWN_LETTER_COST
        elif symbol in ORDINARY_SYMBOLS and not _is_stray_symbol(text, place):
            cost += 0.02 * UNKNOWN_LETTER_COST
        else:
            cost += 1.6 * UNKNOWN_LETTER_COST
    return cost


def _is_stray_symbol(text: str, place: int) -> bool:
    """Return whether a symbol touches a letter or another symbol, and is not part of a pair of quotation marks."""
    symbol, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if any(near and not near.isascii() and not near.isalnum() for near in (before, after)):
        return True
    if not before.isalpha() and not after.isalpha():
        return False
    start = text.rfind("\n", 0, place) + 1
    line = text[start : text.find("\n", place) if "\n" in text[place:] else len(text)]
    return not any(symbol in pair and all(mark in line for mark in pair) for pair in QUOTATION_MARKS)


def _compute_capitals_cost(word: str) -> float:
    """Return the cost of capitals inside a word, and of letters from more than one script.

    The cost is a negative number or 0.
    """
    cost = 0.0
    if not word.isupper():
        inside = sum(b.isupper() and a.islower() and not (a + b).isascii() for a, b in pairwise(word))
        cost += 0.7 * UNKNOWN_LETTER_COST * inside
        # Capitals after a capital in a word with lowercase letters, such as “DVOøÁK”.
        cost += 0.7 * UNKNOWN_LETTER_COST * sum(a.isupper() and b.isupper() for a, b in pairwise(word))
    scripts = {_find_script(char) for char in word} - {""}
    return cost + UNKNOWN_LETTER_COST * (len(scripts) - 1 if scripts else 0)


@lru_cache(maxsize=4096)
def _find_script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0] if char.isalpha() else ""


class _NameLanguage:
    def __init__(self, words: list[str]) -> None:
        self.pairs: Counter[str] = Counter()
        self.letters: Counter[str] = Counter()
        self.before: Counter[str] = Counter()
        self.words = frozenset(words)
        for word in self.words:
            framed = f"^{word}$"
            self.letters.update(framed[1:])
            self.before.update(framed[:-1])
            self.pairs.update(a + b for a, b in pairwise(framed))
        self.total = self.letters.total()
        self.known: dict[str, float] = {}

    def score(self, word: str) -> float:
        framed = f"^{word}$"
        return sum(map(self._score_letter_pair, framed, framed[1:])) + (1.5 if word in self.words else 0)

    def _score_letter_pair(self, first: str, second: str) -> float:
        pair = first + second
        if pair not in self.known:
            alone = (self.letters[second] + 1e-3) / (self.total + 1)
            likely = (self.pairs[pair] + LETTER_PAIR_SMOOTHING * alone) / (self.before[first] + LETTER_PAIR_SMOOTHING)
            self.known[pair] = max(math.log(likely), 2 * UNKNOWN_LETTER_COST)
        return self.known[pair]


@cache
def load_name_words_by_language() -> dict[str, _NameLanguage]:
    lines = NAMES_FILE.read_text(encoding="utf-8").splitlines()
    split = (line.split() for line in lines)
    return {code: _NameLanguage([word.replace("İ", "i").lower() for word in words]) for code, *words in split}


def _compute_average_likelihood(text: str, encoding: str) -> float:
    """Return the average likelihood of the letter pairs in all words with non-ASCII letters, as a logarithm."""
    _cost, words = _compute_symbol_cost(text)
    names = [*ENCODINGS[encoding][1].split(), "en"]
    scores = [max(load_name_words_by_language()[name].score(_normalize_word(word)) for name in names) for word in words]
    return sum(scores) / (sum(map(len, words)) + len(words)) if words else 0.0

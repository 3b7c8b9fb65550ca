"""Lists in many languages and encodings are read correctly, or reported as doubtful."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.chance import SEED, in_part
from tournament.spreadsheets.encodings import decode_as, detect_encoding, looks_misdecoded

WRITTEN: dict[str, tuple[str, str]] = {
    "Czech": (
        "cp1250 iso8859_2 cp852",
        "Jiří Vondráček;Žďár|Zdeňka Kůrková;Ústí|Ondřej Šťovíček;Náchod|Tomáš Bouček;Zlín",
    ),
    "Slovak": ("cp1250 cp852", "Ľuboš Hudák;Žilina|Mária Kráľová;Nové Mesto|Ján Ťažký;Skalica|Štefánia Mráz;Poprad"),
    "Polish": (
        "cp1250 iso8859_2 cp852",
        "Łukasz Gąsiorek;Żywiec|Zofia Świeżyńska;Łomża|Jan Źdźbło;Słupsk|Ewa Nowak;Ełk",
    ),
    "Hungarian": ("cp1250 iso8859_2 cp852", "Gergely Szőllősi;Győr|Zsófia Fűzesi;Vác|Ákos Pörneczy;Pécs|Örs Vári;Ózd"),
    "Romanian": (
        "cp1250 iso8859_2",
        "Ştefania Măgureanu;Iaşi|Cătălin Ţurlea;Galaţi|Andreea Pîslaru;Braşov|Ion Văduva;Cluj",
    ),
    "Croatian": ("cp1250 cp852", "Željka Hrđić;Đakovo|Krešimir Škrlec;Čazma|Anđela Požgaj;Zagreb|Ivo Ćurčić;Split"),
    "Turkish": ("cp1254 cp857", "Tuğrul Çakıroğlu;Iğdır|Şebnem Gündoğdu;Muş|İlknur Özışık;Uşak|Oğuzhan Yıldırım;Düzce"),
    "Russian": (
        "cp1251 koi8_r cp866 iso8859_5",
        "Галина Ширяева;Псков|Фёдор Рыжков;Чита|Инна Цой;Орёл|Эльдар Юнусов;Уфа",
    ),
    "Ukrainian": ("cp1251 koi8_u", "Євген Їжакевич;Львів|Галина Підлісна;Рівне|Ігор Щур;Київ|Софія Ґава;Хуст"),
    "Bulgarian": ("cp1251", "Цветелина Жекова;Русе|Щилян Гърбев;Ямбол|Юлия Ъглова;Видин|Чавдар Вълев;Ловеч"),
    "Greek": ("cp1253 iso8859_7 cp737", "Ευστρατία Μπαλτά;Κιλκίς|Άρης Ζώης;Δράμα|Φώτης Ξένος;Σάμος|Χρυσή Ψαρρά;Ρόδος"),
    "Hebrew": ("cp1255 cp862", "צביקה אורבך;רמלה|גילה ששון;צפת|חנן טל;לוד|נעמה קציר;עפולה"),
    "Arabic": ("cp1256 iso8859_6", "ياسين الزهراني;أبها|لطيفة بن جلون;فاس|غسان شاهين;صيدا|ثريا قباني;حمص"),
    "French": (
        "cp1252 cp850 mac_roman",
        "Hélène Crépeau;Béthune|Gaëtan Forêt;Mâcon|Françoise Là;Nîmes|Benoît Duœil;Évry",
    ),
    "German": (
        "cp1252 cp850 mac_roman",
        "Jörg Häußler;Fürth|Änne Großkopf;Köln|Ulf Lüdecke;Görlitz|Käthe Weiß;Öhringen",
    ),
    "Spanish": (
        "cp1252 cp850 mac_roman",
        "Íñigo Zúñiga;Ávila|Begoña Ordás;Cádiz|Ángela Rincón;Jaén|Toñi Peñalver;León",
    ),
    "Portuguese": ("cp1252 cp850", "João Brandão;Évora|Conceição Leitão;Fátima|Antónia Simões;Olhão|Luís Araújo;Viseu"),
    "Swedish": ("cp1252 cp850 mac_roman", "Åsa Sjögren;Malmö|Örjan Hägglund;Växjö|Märta Öhman;Gävle|Jan Blå;Umeå"),
    "Danish": ("cp1252 cp850", "Søren Bækgård;Rønne|Åse Kjærulff;Tårs|Jørn Østerby;Køge|Bente Ørum;Ærøskøbing"),
    "Icelandic": ("cp1252 cp861", "Þórður Egilsson;Höfn|Guðlaug Ævarsdóttir;Vík|Ýrr Skúla;Akureyri|Sæþór Már;Ólafsvík"),
    "Lithuanian": (
        "cp1257 iso8859_13 cp775",
        "Žygintas Šlekys;Šilalė|Jūratė Čepė;Kėdainiai|Rūta Ąžuolė;Utena|Ąžuolas Čiuta;Varėna",
    ),
    "Latvian": ("cp1257 cp775", "Ģirts Krūmkalns;Līvāni|Ņina Šķēpa;Rīga|Žanis Bērziņš;Cēsis|Ķersta Āve;Bauska"),
    "Estonian": ("cp1257 cp775", "Õie Sõber;Põlva|Külli Jõeäär;Võru|Mõtus Püss;Türi|Tõnis Õun;Jõgeva"),
    "English": ("cp1252 cp437 mac_roman", "Zoë Quinn;Boston|Renée O'Hara;Cork|Seán Whyte;Reno|Chloë Bell;Tampa"),
}
ROWS = (2, 3, 12)


def lists() -> list[tuple[str, str, int, bytes]]:
    """Return lists of 2 to 40 random names and clubs, each with its language, encoding, number of rows, and bytes."""
    chance, found = random.Random(SEED), []
    for language, (encodings, rows) in WRITTEN.items():
        entries = [row.split(";") for row in rows.split("|")]
        for encoding in encodings.split():
            for size in ROWS:
                lines = [f"{chance.choice(entries)[0]};{chance.choice(entries)[1]}" for _ in range(size)]
                content = "\r\n".join(["Name;Club", *lines, ""]).encode(encoding, errors="replace")
                if not content.isascii() and in_part(len(content), 3):
                    found.append((language, encoding, size, content))
    return found


def test_lists_in_many_languages_are_right_or_doubtful() -> None:
    """The program must report a doubt about every list that it reads wrongly.

    It must read more than 97 percent of the lists correctly without a doubt.
    """
    counts: Counter[str] = Counter()
    wrong = []
    for language, encoding, size, content in lists():
        read, meant = detect_encoding(content), content.decode(encoding)
        is_right = read.text == meant
        counts[f"{'right' if is_right else 'wrong'}, {'sure' if read.is_sure else 'asked'}"] += 1
        if not is_right:
            offered = any(decode_as(content, name) == meant for name in read.choices)
            wrong.append((language, encoding, size, read.encoding, offered))
    assert [each for each in wrong if not each[-1]] == []
    assert counts["wrong, sure"] == 0
    assert counts["right, sure"] > 0.97 * counts.total()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("Ada", "utf-8"), ("José", "utf-8"), ("José", "utf-8-sig"), ("José", "utf-16"), ("Анна", "utf-16-le")],
)
def test_unicode_is_recognized_without_a_mark(text: str, encoding: str) -> None:
    read = detect_encoding(f"Name,Club\n{text},Reno\n".encode(encoding))
    assert (read.text.removeprefix("\ufeff"), read.is_sure) == (f"Name,Club\n{text},Reno\n", True)


def test_one_damaged_letter_makes_utf_8_doubtful() -> None:
    read = detect_encoding("Name\nJosé\nZoë\nRené\n".encode() + b"Andr\xe9\n")
    assert (read.encoding, read.is_sure, read.text.count("\ufffd")) == ("utf-8", False, 1)


def test_equally_likely_encodings_are_doubtful() -> None:
    content = "Name\nŐri\n".encode("cp1250")
    offered = {decode_as(content, name) for name in detect_encoding(content).choices}
    assert {"Name\nŐri\n", "Name\nÕri\n"} <= offered


@pytest.mark.parametrize(
    "text", ["Zo‰ Quinn", "Dvo¯·k", "JosÃ©", "Ł¢dź", "Mant”", "AndrŽ", "Gro\x98", "P’o Lee", "«’”’№"]
)
def test_signs_inside_words_are_odd(text: str) -> None:
    assert looks_misdecoded(text)


@pytest.mark.parametrize("text", ["“Zed” Quinn", "O’Brien", "300 €", "MÜLLER", "d’Été", "№ 5", "Лев Толстой"])
def test_signs_that_names_have_are_not(text: str) -> None:
    assert not looks_misdecoded(text)


def test_an_amount_in_euros_makes_no_list_doubtful() -> None:
    rows = [f"{name};1\u00a0300,00 €" for name in ("Jürgen Groß", "Käthe Böll", "Ulf Öhm", "Ann Lee") * 9]
    read = detect_encoding("\r\n".join(["Name;Betrag", *rows]).encode("cp1252"))
    assert (read.encoding, read.is_sure) == ("cp1252", True)


@pytest.mark.parametrize(("name", "encoding"), [("鲁迅", "gb18030"), ("박경리", "cp949")])
def test_bytes_that_are_utf_8_by_chance_are_doubtful(name: str, encoding: str) -> None:
    assert encoding in detect_encoding(f"Name\n{name}\n".encode(encoding)).choices

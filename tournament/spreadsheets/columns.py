"""Guess the meaning of a list's columns from their headings or cells."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tournament.lazy_text import lazy_text
from tournament.spreadsheets.names import name_key


def split_headings(text: str) -> tuple[str, ...]:
    return tuple(heading.strip() for heading in text.split(","))


CURRENCY_HEADINGS: Final = split_headings("""
    currency, ccy, curr, currency code, transaction currency, account currency, wahrung, waehrung, devise, moneda,
    moeda, waluta, mena, deviza, penznem, munt, muntsoort, valuutta, para birimi, doviz, валюта, νομισμα, מטבע, العملة,
    通貨
""")
ENTRY_LIST_FIELDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "at": (
        lazy_text("Entered at"),
        split_headings("""
            timestamp, date, entered, received, submitted, entered at, registered, registered at, registration date,
            date registered, entry date, date entered, submitted at, submission date, time, date time,
            completion time, start time, zeitstempel, datum, anmeldedatum, eingang, fecha, marca temporal, data,
            horodateur, date d inscription, дата, отметка времени, ημερομηνια, tarih, dato, paivamaara,
            datum prihlaseni
        """),
    ),
    "first_name": (
        lazy_text("First name"),
        split_headings("""
            first name, given name, first, forename, given names, first names, christian name, vorname, prenom,
            prenoms, voornaam, imie, jmeno, meno, keresztnev, utonev, prenume, fornamn, fornavn, etunimi, eesnimi,
            vards, vardas, ime, имя, ім'я, імя, име, ονομα, שם פרטי, الاسم الاول
        """),
    ),
    "last_name": (
        lazy_text("Last name"),
        split_headings("""
            last name, surname, family name, last, last names, family, nachname, familienname, zuname,
            nom de famille, apellido, apellidos, cognome, sobrenome, achternaam, nazwisko, prijmeni, priezvisko,
            vezeteknev, csaladnev, efternamn, efternavn, etternavn, sukunimi, perekonnanimi, uzvards, pavarde,
            prezime, priimek, soyad, soyadi, soyadı, soyisim, фамилия, прізвище, презиме, επωνυμο, שם משפחה,
            اسم العائلة
        """),
    ),
    "name": (
        lazy_text("Name"),
        split_headings("""
            name, full name, player, player a, player 1, entrant, names, player name, name of player, players name,
            your name, your full name, participant, competitor, member, name 1, spieler, teilnehmer, nom,
            nom complet, nom et prenom, joueur, nombre, nombre completo, jugador, nome, nome completo, giocatore,
            naam, nazwa, imie i nazwisko, nazwisko i imie, zawodnik, jmeno a prijmeni, prijmeni a jmeno, hrac, nev,
            teljes nev, nume, nume complet, nume si prenume, namn, navn, nimi, nafn, ad, adi, adı, adı soyadı,
            ad soyad, isim, фио, игрок, участник, імя та прізвище, ονοματεπωνυμο, שם, שם מלא, الاسم, اسم,
            ime i prezime, ime in priimek
        """),
    ),
    "partner": (
        lazy_text("Partner"),
        split_headings("player b, player 2, partner, partner name, partners name, name 2, name of partner"),
    ),
    "partner_email": (
        lazy_text("Email of the partner"),
        split_headings("partner email, partner e mail, partners email, email b, email 2, e mail 2, e mail b"),
    ),
    "partner_phone": (
        lazy_text("Phone of the partner"),
        split_headings("partner phone, partners phone, phone b, phone 2, phone of partner"),
    ),
    "site": (lazy_text("Site"), split_headings("site, venue, location, place of play, plays at, where")),
    "pool": (lazy_text("Pool (A or B)"), split_headings("pool, a b, a or b, ab")),
    "side": (
        lazy_text("Side (men, ladies, A or B)"),
        split_headings("""
            side, sex, gender, m f, f m, m w, men ladies, men or ladies, men women, men or women, gents ladies,
            gents or ladies, geschlecht, gentlemen or ladies, gentlemen ladies, guys or girls, guys girls, man or lady,
            man lady
        """),
    ),
    "senior": (
        lazy_text("Senior (into the notes)"),
        split_headings("senior, seniors, sr, 65, senior player, age group"),
    ),
    "apart": (
        lazy_text("Keep apart (into the notes)"),
        split_headings("keep apart, kept apart, apart, keep apart from, apart from, not against, avoid"),
    ),
    "team": (lazy_text("Name of the team"), split_headings("team, team name, pair")),
    "public_name": (lazy_text("Name to show"), split_headings("public name, nickname, name to show, display name")),
    "shows_name": (
        lazy_text("Show the name in public"),
        split_headings("""
            show the name in public, show my name in public, show name in public, show my name, name in public,
            publish my name, publish name, may we publish your name, may we show your name
        """),
    ),
    "email": (
        lazy_text("Email"),
        split_headings("""
            email, e mail, email address, e mail address, mail, e mail adresse, emailadresse, courriel,
            adresse e mail, adresse mail, correo, correo electronico, posta elettronica, e posta, eposta, почта,
            электронная почта, электронная пошта, your email, your email address, contact email
        """),
    ),
    "phone": (
        lazy_text("Phone"),
        split_headings("""
            phone, phone number, telephone, mobile, cell, cell phone, mobile phone, mobile number, tel, phone no,
            telephone number, contact number, telefon, telefonnummer, handy, mobil, mobile no, telephone portable,
            portable, telefono, movil, celular, cellulare, telefone, telefoon, puhelin, телефон, τηλεφωνο, טלפון,
            الهاتف
        """),
    ),
    "club": (
        lazy_text("Club or city"),
        split_headings("""
            club, city, club or city, town, home club, club city, home town, hometown, club name, verein, ort,
            stadt, wohnort, klub, ville, ciudad, citta, cidade, clube, plaats, stad, miasto, mesto, varos,
            egyesulet, oras, forening, by, kaupunki, seura, linn, pilseta, miestas, grad, sehir, kulup, город, клуб,
            місто, град, πολη, συλλογος, עיר, מועדון, المدينة, النادي, club ville, club ou ville
        """),
    ),
    "region": (lazy_text("State"), split_headings("state, province, country, land, pays, pais")),
    "events": (lazy_text("Events"), split_headings("event, events, event s")),
    "amount": (
        lazy_text("Amount paid"),
        split_headings("""
            amount paid, fee paid, paid, amount, payment, paid amount, amount received, entry fee paid, betrag,
            bezahlt, gezahlt, montant, montant paye, paye, importe, pagado, importo, pagato, valor pago, pago,
            bedrag, betaald, kwota, wplata, wpłata, zapłacono, zaplacono, castka, zaplaceno, suma, osszeg, fizetve,
            platit, belopp, betalt, belob, beløb, belop, beløp, summa, tutar, odenen, сумма, оплачено, сплачено,
            ποσο, סכום, المبلغ
        """),
    ),
    "currency": (lazy_text("Currency"), CURRENCY_HEADINGS),
    "method": (
        lazy_text("How paid"),
        split_headings("how paid, method, payment method, paid by, zahlungsart, mode de paiement, paid how"),
    ),
    "notes": (
        lazy_text("Notes"),
        split_headings("""
            notes, remarks, comments, anything we should know, note, comment, remark, bemerkung, bemerkungen,
            anmerkung, remarques, remarque, commentaires, notas, observaciones, uwagi, poznamka, poznamky,
            megjegyzes, observatii, комментарий, примечание
        """),
    ),
}
"""The name that staff see for each field, and the field's known headings in the form that `name_key` returns."""

_HEADING_PATTERNS: Final = (
    ("partner_email", r"partner.*\be ?mail"),
    ("partner_phone", r"partner.*\b(phone|mobile|telephone)\b"),
    ("email", r"\be ?mail\b"),
    ("phone", r"\b(phone|mobile|telephone)\b"),
    ("partner", r"\bpartner\b"),
    ("first_name", r"\b(first|given) name\b"),
    ("last_name", r"\b(last|family) name\b|\bsurname\b"),
    ("amount", r"\bamount (paid|received)\b|\bpaid (amount|in)\b"),
    ("method", r"\bhow .*\b(paid|pay)\b|\bpayment (method|type)\b"),
    ("name", r"\b(full|your|player|players) name\b"),
    ("club", r"\b(club|city)\b"),
)
"""Words that identify a column in a longer heading, such as a question on a form."""
_ENTRY_STATE_WORDS: Final = frozenset({
    "accepted", "waiting for approval", "on the waiting list", "refused", "withdrawn", "withdrawn from play",
    "looking for a partner", "in a pair", "pair split", "in", "checked in", "drawn", "waiting", "confirmed", "pending",
})  # fmt: skip
"""Values that identify a “State” column as the status of entries rather than a U.S. state."""


def guess_columns_by_headings(headers: Sequence[str], rows: Sequence[Sequence[str]] = ()) -> dict[str, int]:
    """Guess each field's column index from the headings.

    >>> guess_columns_by_headings(["E-mail Address", "First Name", "Event(s)"])
    {'first_name': 1, 'email': 0, 'events': 2}
    >>> guess_columns_by_headings(["Nom", "Prénom"])
    {'first_name': 1, 'last_name': 0}
    >>> guess_columns_by_headings(["Name (Last, First)", "What is your email?"])
    {'name': 0, 'email': 1}
    >>> guess_columns_by_headings(["Last name, first name", "Club, city"])
    {'name': 0, 'club': 1}
    >>> guess_columns_by_headings(["Name, first and last", "Paid, in USD"])
    {'name': 0, 'amount': 1}
    """
    keys = ["name" if _has_both_names(header) else name_key(header) for header in headers]
    plain = [name_key(re.sub(r"[(\[][^)\]]*[)\]]", " ", header)) for header in headers]
    first = [name_key(re.split(r"[,;:/?–(\[]| - ", header)[0]) for header in headers]
    found: dict[str, int] = {}
    for wording in (keys, plain, first):
        for field, (_label, known) in ENTRY_LIST_FIELDS.items():
            place = next((i for i, key in enumerate(wording) if key in known and i not in found.values()), None)
            if place is not None:
                found.setdefault(field, place)
    for field, pattern in _HEADING_PATTERNS:
        if field not in found:
            free = (i for i, key in enumerate(plain) if i not in found.values() and re.search(pattern, key))
            if (place := next(free, None)) is not None:
                found[field] = place
    _correct_name_columns(found, keys)
    if "region" in found and rows:
        said = {name_key(row[found["region"]]) for row in rows if row[found["region"]].strip()}
        if said and said <= _ENTRY_STATE_WORDS:
            del found["region"]
    return {field: found[field] for field in ENTRY_LIST_FIELDS if field in found}


def _has_both_names(header: str) -> bool:
    """Return whether a column contains both parts of a name, such as “Last name, first name” or “Nom / Prénom”."""
    parts = [name_key(part) for part in re.split(r"[,;/&+]|\s(?:and|und|et|y|e|i|a|en|og|och)\s", header)]
    if len(parts) != 2:
        return False
    one, other = (
        {field for field in ("first_name", "last_name", "name") if part in ENTRY_LIST_FIELDS[field][1]}
        for part in parts
    )
    return any(pair <= one | other and one - other and other - one for pair in _NAME_COLUMN_PAIRS)


_NAME_COLUMN_PAIRS: Final = ({"first_name", "last_name"}, {"first_name", "name"}, {"last_name", "name"})


def _correct_name_columns(found: dict[str, int], keys: Sequence[str]) -> None:
    """Correct the meaning of a column called “Name”.

    Next to a column of first names, it contains last names (as in French, “Nom” and “Prénom”). Next to a column of last
    names, it contains first names (as in Spanish, “Nombre” and “Apellidos”).
    """
    if "name" in found and "first_name" in found and "last_name" not in found:
        found["last_name"] = found.pop("name")
    elif "name" in found and "last_name" in found and "first_name" not in found:
        found["first_name"] = found.pop("name")
    elif (
        "first_name" in found
        and not {"name", "last_name"} & found.keys()
        and keys[found["first_name"]] in _FIRST_NAME_HEADINGS
    ):
        found["name"] = found.pop("first_name")


_FIRST_NAME_HEADINGS: Final = frozenset(
    {"ime", "jmeno", "meno", "имя", "име", "ονομα", "ім'я", "імя", "vardas", "vards", "nombre"}
)


def detect_columns(headers: Sequence[str], rows: Sequence[Sequence[str]], *, has_headings: bool) -> dict[str, int]:
    """Return each field's column index, guessed from the headings. Without headings, guess from the cells."""
    return guess_columns_by_headings(headers, rows) if has_headings else guess_columns_by_content(rows)


def guess_columns_by_content(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return each field's column index in a list without headings, guessed from the majority of cells.

    >>> guess_columns_by_content([["Ann Lee", "ann@example.org", "+1 512 555 0100"], ["Bob Stone", "", "512 555 0101"]])
    {'name': 0, 'email': 1, 'phone': 2}
    """
    found: dict[str, int] = {}
    for place in range(len(rows[0]) if rows else 0):
        cells = [row[place].strip() for row in rows if row[place].strip()]
        field = next(
            (name for name, looks in _CELL_PATTERNS if cells and 2 * sum(map(bool, map(looks, cells))) > len(cells)), ""
        )
        if field == "name" and "name" in found:
            field = "club"
        if field:
            found.setdefault(field, place)
    return {field: found[field] for field in ENTRY_LIST_FIELDS if field in found}


_CELL_PATTERNS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+").fullmatch),
    ("at", re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*").fullmatch),
    ("amount", re.compile(r"[$€£]?\s*\d{1,4}(?:[.,]\d{2})?\s*[$€£]?").fullmatch),
    ("phone", re.compile(r"\+?[\d\s().-]{7,}").fullmatch),
    ("name", re.compile(r"[^\d@]{2,}").fullmatch),
)


def map_cells_by_field(cells: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    """Return the cells of a row, keyed by field. A field without a column has an empty string."""
    return {
        field: cells[columns[field]] if field in columns and 0 <= columns[field] < len(cells) else ""
        for field in ENTRY_LIST_FIELDS
    }

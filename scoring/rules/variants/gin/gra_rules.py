"""The tournament rules of the Gin Rummy Association, in sentences of our own and in the Association's order.

Source: Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012: the 17 rules for singles and the 14 for
partnership. The published rules and the back of a card use the Association's numbers, so that a ruling under rule 9
leads to rule 9.
"""

from typing import Final

from tournament.said import worded

SINGLES_RULES: Final = (
    worded("Players are paired for the first match by a blind draw."),
    worded("Cut for deal in every new game. Low card deals first and keeps score; ace is low. Count your cards first."),
    worded(
        "The dealer shuffles. The other player may shuffle too, then cuts. The dealer may shuffle again, and then "
        "the other player may only square the cut."
    ),
    worded(
        "Each player gets 10 cards, and the 21st is the up card. Its value is the most you may knock with; under an "
        "ace the hand is played for gin. The scorer records it at once, both players check it, and what is recorded "
        "usually counts."
    ),
    worded("Touching the top of a pile by mistake does not oblige you to take the card."),
    worded(
        "A hand ends with a knock, a gin, or the 50th card, which both players may still use. A knock scores the "
        "difference. Against an equal or lower count it is undercut: the opponent scores the difference and a bonus. "
        "Gin scores the opponent's unmatched points and a bonus."
    ),
    worded("Both players sign the score card after each game, with the game number and the final scores filled in."),
    worded(
        "A wrong number of cards before the first play, or in both hands, is a new deal. Later the player with 10 "
        "cards chooses between a correction and a new deal. At the end of a hand, each missing card counts 10 points, "
        "and extra cards count their value."
    ),
    worded(
        "A knock above the up card is played open, unless the opponent can accept it with a count at the up card or "
        "lower. The player then knocks as soon as the count allows. If you announce a knock or a gin, lay the hand "
        "down; if it is not good, it is played open."
    ),
    worded("A player who knocks or gins and turns down the wrong card may pick it up again and rearrange the hand."),
    worded(
        "A player who draws two cards loses the extra card and may not knock or gin. If that player has nine cards "
        "matched or is on gin, the director tells the opponent, who may have the hands thrown in."
    ),
    worded("A dealer who takes the up card out of turn may not have it. The opponent may still take it or leave it."),
    worded(
        "Never break a rule because no penalty is set for it. Shuffle well, wait for the discard, and show no false "
        "interest in it. A false report of a match costs the player one game."
    ),
    worded(
        "A card taken from the discard pile may be discarded again, and that is a play. The opponent may retake it "
        "only to knock."
    ),
    worded("Each player may ask for a new deck once. The old deck does not come back into play."),
    worded("A count that both players agreed to stands once it is recorded. Do not shuffle before the score is right."),
    worded(
        "Two players whom the staff did not match can both lose a game or be eliminated. If a game is given away, both "
        "players can be eliminated."
    ),
)

PARTNERSHIP_RULES: Final = (
    worded("A team plays up to five games to 250 points, and stops when it has lost two."),
    worded("Teams with four or five wins are in the finals."),
    worded(
        "A team with four wins and no loss plays the fifth game, too. In a play-off, teams with five wins have a bye."
    ),
    worded("Cut for deal in every new game. The team with the low card deals first and keeps score."),
    worded("One member of each team signs the score card."),
    worded("The partners of a team sit side by side."),
    worded(
        "The dealer deals the opponent 11 cards. A center deck turns up the knock card for every board of the hand."
    ),
    worded("The team that lost the points deals the next hand."),
    worded("There is no bonus for boxes, blitzes, or spades."),
    worded(
        "Partners play in unison. If you need time for a discard, say that it is your play. Otherwise your opponent "
        "may have their partner wait for you."
    ),
    worded("After losing your hand, you need not give a count until the other team's player has 10 cards."),
    worded(
        "When one board is finished, its two players may give the score of both teams, but only then. A player still "
        "playing may ask for it at any time."
    ),
    worded(
        "Partners do not consult during a hand or help to arrange it. They may help with lay-offs, and may say that "
        "their partner has the wrong number of cards."
    ),
    worded("The partners of a team that lost a hand may change seats."),
)

HOW_BOARDS_COUNT: Final = (
    worded("The singles rules hold where these say nothing. The up card's value is the most you may knock with."),
    worded(
        "A knock wins with strictly fewer points and scores the difference. Otherwise it is an undercut, with a bonus "
        "for the opponent. Gin scores the opponent's unmatched points and a bonus. Under an ace every board is played "
        "for gin."
    ),
    worded("The boards of a hand are netted. The team ahead scores the difference, and a level hand scores nothing."),
)

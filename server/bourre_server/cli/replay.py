"""Matches and hands for reading: every card, every decision, every fault where it happened."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from bourre_server.cli.console import table_for
from bourre_server.cli.hand_log import HandLog, PlayedCard
from bourre_server.cli.text import plain
from bourre_server.rules.cards import NAMES, SUIT_OF, show
from bourre_server.rules.house import ANTE
from bourre_server.rules.record import Made

SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
LEGEND = "> leads, * wins the trick, = forced (made without asking), ! made by default"


@dataclass(frozen=True)
class FaultLine:
    """A fault as it is shown. `decision_id`: 0 for none."""

    seat: int
    decision_id: int
    kind: str
    reason: str
    action: str


def antes(units: int, signed: bool = False) -> str:
    """Units as antes, with as many decimals as they need, three at most."""
    text = f"{units / ANTE:{'+' if signed else ''}.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("+0", "-0") else text


class Replay:
    """Prints what happened at a table; `names` are the bots' by seat."""

    def __init__(self, console: Console, names: Sequence[str], faults: Sequence[FaultLine]) -> None:
        self._console = console
        self._names = [plain(name) for name in names]
        self._faults = faults

    def show_match(self, logs: Iterable[HandLog]) -> None:
        """One line for each hand, then the faults."""
        table = table_for(self._console)
        for header in ("hand", "dealer", "upcard", "pot", *self._names, "carried"):
            table.add_column(Text(header), justify="right")
        for log in logs:
            table.add_row(*self._match_row(log))
        self._console.print(table)
        self._say("Antes won and lost in each hand, tricks in brackets; - where a seat passed.")
        self._show_faults(self._faults)

    def _match_row(self, log: HandLog) -> list[str]:
        settled = log.settled
        head = [f"{log.started.hand}", f"{log.started.dealer}", NAMES[log.upcard]]
        pot, carried = (antes(settled.pot), antes(settled.carried)) if settled else ("", "")
        return [*head, pot, *(self._outcome(log, seat) for seat in range(log.seats)), carried]

    def _outcome(self, log: HandLog, seat: int) -> str:
        tricks = f" ({log.tricks_won(seat)})" if log.plays(seat) else " (-)"
        return antes(log.net(seat), signed=True) + tricks

    def show_hand(self, log: HandLog, hands: int) -> None:
        """Everything about one hand."""
        dealer = log.started.dealer
        self._say(
            f"Hand {log.started.hand} of {hands} · dealer: seat {dealer}, {self._names[dealer]} · "
            f"upcard {NAMES[log.upcard]} · trump: {SUIT_NAMES[SUIT_OF[log.upcard]]}"
        )
        self._show_declarations(log)
        self._show_tricks(log)
        self._show_settlement(log)

    def _show_declarations(self, log: HandLog) -> None:
        table = table_for(self._console)
        for header in ("seat", "bot", "dealt", "declares", "discards", "draws"):
            table.add_column(header)
        for declared in log.declarations:
            word = ("plays" if declared.plays else "passes") + _mark(declared.made)
            cards = (show(log.dealt[declared.seat]), word, show(declared.discards), show(declared.drawn))
            table.add_row(f"{declared.seat}", Text(self._names[declared.seat]), *cards)
        for seat in set(range(log.seats)) - {declared.seat for declared in log.declarations}:
            table.add_row(f"{seat}", Text(self._names[seat]), show(log.dealt[seat]), "not asked", "", "")
        self._console.print(table)
        self._show_faults_of(declared.decision_id for declared in log.declarations)

    def _show_tricks(self, log: HandLog) -> None:
        if not log.tricks:
            return
        seats = [seat for seat in range(log.seats) if log.plays(seat)]
        table = table_for(self._console)
        for header in ("trick", *(self._names[seat] for seat in seats)):
            table.add_column(Text(header), justify="right")
        for number, trick in enumerate(log.tricks, 1):
            cells = {card.seat: _cell(card, card is trick.cards[0], trick.winner) for card in trick.cards}
            table.add_row(f"{number}", *(cells[seat] for seat in seats))
        self._console.print(table)
        self._say(LEGEND)
        self._show_faults_of(card.decision_id for trick in log.tricks for card in trick.cards)

    def _show_settlement(self, log: HandLog) -> None:
        settled = log.settled
        if settled is None:
            return
        table = table_for(self._console)
        for header in ("seat", "bot", "tricks", "ante", "settlement", "hand"):
            table.add_column(header, justify="left" if header == "bot" else "right")
        for seat, name in enumerate(self._names):
            money = (-log.started.antes[seat], settled.payments[seat], log.net(seat))
            table.add_row(
                f"{seat}", Text(name), _tricks(log, seat), *(antes(units, signed=True) for units in money)
            )
        self._console.print(table)
        self._say(f"Pot {antes(settled.pot)} antes, {antes(settled.carried)} carried to the next.")
        if log.shares:
            self._say(f"The match ends: each seat gets {antes(log.shares[0])} antes of what is left.")

    def _show_faults_of(self, decision_ids: Iterable[int]) -> None:
        wanted = set(decision_ids)
        self._show_faults([fault for fault in self._faults if fault.decision_id in wanted])

    def _show_faults(self, faults: Sequence[FaultLine]) -> None:
        for fault in faults:
            where = f"decision {fault.decision_id}: " if fault.decision_id else ""
            action = f"; {plain(fault.action)}" if fault.action else ""
            name = self._names[fault.seat]
            self._say(f"FAULT {where}seat {fault.seat}, {name}: {fault.kind}: {plain(fault.reason)}{action}")

    def _say(self, line: str) -> None:
        self._console.print(Text(line))


def _tricks(log: HandLog, seat: int) -> str:
    if not log.plays(seat):
        return "-"
    won = log.tricks_won(seat)
    return "0 (bourré)" if log.tricks and not won else f"{won}"


def _mark(made: Made) -> str:
    attempts = f" (attempt {made.attempts})" if made.attempts > 1 else ""
    return ("=" if made.forced else f"!{made.reason}" if made.reason else "") + attempts


def _cell(card: PlayedCard, leads: bool, winner: int) -> str:
    return (">" if leads else "") + NAMES[card.card] + ("*" if card.seat == winner else "") + _mark(card.made)


@dataclass(frozen=True)
class MatchLine:
    """A match in the list. `names` and `chips` (units) are by seat; `faults` by seat, those that count."""

    number: int
    block: int
    rotation: int
    names: Sequence[str]
    chips: Sequence[int]
    faults: Sequence[int]
    forfeited: Sequence[bool]


def show_matches(console: Console, matches: Iterable[MatchLine], kinds: Mapping[int, Sequence[str]]) -> None:
    """The list of matches; `kinds`: the kinds of faults of each match by number."""
    table = table_for(console)
    for header in ("match", "block", "rotation"):
        table.add_column(header, justify="right")
    table.add_column("antes by seat")
    table.add_column("faults")
    for match in matches:
        seats = zip(match.names, match.chips, match.forfeited, strict=True)
        outcome = ", ".join(_seat(name, chips, forfeited) for name, chips, forfeited in seats)
        faults = ", ".join(sorted(set(kinds.get(match.number, ()))))
        table.add_row(f"{match.number}", f"{match.block}", f"{match.rotation}", Text(outcome), faults)
    console.print(table)


def _seat(name: str, chips: int, forfeited: bool) -> str:
    return f"{plain(name)} {antes(chips, signed=True)}" + (" (forfeited)" if forfeited else "")

"""A table that is over, as the values that are kept of it."""

from bourre_server.referee.faults import Fault
from bourre_server.referee.table import Table
from bourre_server.rules.cards import NAMES, cards_in
from bourre_server.storage.rows import FaultRow
from bourre_server.tournament.results import MatchResult
from bourre_server.tournament.schedule import Plan


def result_of(table: Table, plan: Plan) -> MatchResult:
    """The result of a match."""
    return MatchResult(
        number=plan.number,
        block=plan.block,
        rotation=plan.rotation,
        seating=plan.seating,
        hands=table.spec.setup.hands,
        chips=tuple(table.match.public.chips),
        played=tuple(table.match.public.hands_played),
        bourres=tuple(table.match.public.bourres),
        faults=tuple(table.counts),
        forfeited=tuple(table.forfeited),
    )


def fault_rows(table: Table) -> list[FaultRow]:
    """The faults of a match, with their evidence."""
    return [_fault_row(table.number, fault) for fault in table.faults]


def _fault_row(number: int, fault: Fault) -> FaultRow:
    evidence: dict[str, object] = {"elapsed": round(fault.elapsed, 6), "charged": round(fault.charged, 6)}
    if fault.sent:
        evidence["sent"] = fault.sent
    if fault.legal:
        evidence["legal"] = [NAMES[card] for card in cards_in(fault.legal)]
    return FaultRow(
        match=number,
        seat=fault.seat,
        decision_id=fault.decision_id,
        kind=fault.kind.value,
        reason=fault.reason,
        action=fault.action,
        evidence=evidence,
    )

"""How the command `bourre` ends: its exit codes, and the errors that stand for them."""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of `bourre`, each with the sentence that help and README show."""

    sentence: str

    def __new__(cls, code: int, sentence: str) -> "Exit":
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    DONE = 0, "Done."
    BUG = 1, "A fault in bourre itself: please report the traceback."
    BAD_INPUT = 2, "Bad input: an argument or a key of the tournament file is wrong. Nothing was written."
    TOO_FEW = 3, "The run ended without every match: too few entrants are left."
    RESULT_REFUSED = (
        4,
        "The result file cannot be used: not there, not ours, in use, or of another tournament.",
    )
    BROKEN = 5, "The run broke off: the disk is full, or a part of bourre died. Run again to go on."
    INTERRUPTED = 130, "Interrupted by Ctrl-C. Run again to go on."
    PIPE_CLOSED = 141, "Whoever was reading the output stopped."
    TERMINATED = 143, "Ended by SIGTERM. Run again to go on."


class CommandError(Exception):
    """An expected end: its text is the one line that the user sees, `exit_code` what the shell gets."""

    exit_code = Exit.BROKEN


class BadInputError(CommandError):
    """An argument or a tournament file that is not allowed."""

    exit_code = Exit.BAD_INPUT


class ResultRefusedError(CommandError):
    """A result file that this command cannot use."""

    exit_code = Exit.RESULT_REFUSED


class TooFewEntrantsError(CommandError):
    """The run ended without every match."""

    exit_code = Exit.TOO_FEW

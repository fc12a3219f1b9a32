"""What can be wrong with a result file; each message is one line that names the file."""


class StorageError(Exception):
    """A result file or its journal cannot be used as asked."""


class ResultMissingError(StorageError):
    """There is no such file."""


class ResultExistsError(StorageError):
    """A file that should be created is there already."""


class NotAResultError(StorageError):
    """The file holds something else."""


class NewerResultError(StorageError):
    """The file was made by a newer version, whose tables this one does not know."""


class ResultInUseError(StorageError):
    """Another process is running this tournament."""


class JournalDamagedError(StorageError):
    """A line of the journal, other than a torn last one, cannot be read."""


class StorageFullError(StorageError):
    """There is no room left; what was settled before is safe."""

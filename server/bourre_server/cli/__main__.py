"""`python -m bourre_server.cli` is `bourre`."""

from bourre_server.cli.main import main

main()

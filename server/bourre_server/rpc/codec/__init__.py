"""The wire: the only place that knows the generated messages.

`replies` reads what bots send, `requests` writes decision requests (the hot path), `messages`
writes everything else. All write bytes: a list is a row of framed messages, and rows join.
"""

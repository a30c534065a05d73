"""Why a higher-order operation cannot be compiled."""


class Refusal(Exception):
    """Raised while one is taken apart; becomes a NEFFCompilationError with the line of the user's program."""

    def __init__(self, reason: str, hint: str = ""):
        super().__init__(reason)
        self.reason, self.hint = reason, hint

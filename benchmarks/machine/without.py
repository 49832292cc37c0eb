"""The default without its search for interactions: what that changes is seen beside it."""

from typing import Any
from unittest.mock import patch

from bnsieve.learners import TsetlinSieve, stages


class WithoutMachine(TsetlinSieve):
    """No machine looks for interactions."""

    def _search(self, *given: Any) -> Any:
        with patch.object(stages, "machine_targets", lambda *_: ()):
            return super()._search(*given)

"""The default without its machines: what they change is seen beside it."""

from dataclasses import replace

from bnsieve.learners import StageSettings, TsetlinSieve


class WithoutMachine(TsetlinSieve):
    """The default without a search for interactions."""

    def stage_settings(self) -> StageSettings:
        """Return the settings of the stages, machines left out."""
        return replace(super().stage_settings(), machines=False)

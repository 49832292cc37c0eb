"""Zhang's orientation rules: which marks all MAGs share that are Markov equivalent to one.

In: the marks of a MAG. Out: the marks of its PAG. The rules are those of Zhang (2008) that concern
hidden causes: colliders, 1 to 4 for arrowheads, 8 to 10 for tails. Rules 5 to 7 find edges without
an arrowhead, which only the selection of rows makes; no MAG of a DAG with hidden nodes has any.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from bnsieve.graph.marks import Mark, Marks


def pag_marks(mag: Mapping[tuple[str, str], Mark]) -> Marks:
    """Return the marks that all MAGs share which are Markov equivalent to one, by its marks."""
    orientation = _Orientation(mag)
    orientation.run()
    return orientation.marks


class _Orientation:
    """Marks of a PAG, from the circles of a skeleton on.

    Where a rule asks whether a node is in a separating set, the MAG tells: it is, unless the node
    is a collider between the two others.
    """

    def __init__(self, mag: Mapping[tuple[str, str], Mark]) -> None:
        self.mag = mag
        self.marks: Marks = dict.fromkeys(mag, Mark.CIRCLE)
        self.near: dict[str, list[str]] = {}
        for a, b in mag:
            self.near.setdefault(a, []).append(b)

    def run(self) -> None:
        for a, b, c in self._unshielded():
            if self._is_collider(a, b, c):
                self._set(a, b, Mark.ARROW)
                self._set(c, b, Mark.ARROW)
        self._repeat(self._rule_1, self._rule_2, self._rule_3, self._rule_4)
        self._repeat(self._rule_8, self._rule_9, self._rule_10)

    def _repeat(self, *rules: Callable[[], bool]) -> None:
        changed = True
        while changed:
            changed = sum(rule() for rule in rules) > 0

    def _is_collider(self, a: str, b: str, c: str) -> bool:
        return self.mag[a, b] is self.mag[c, b] is Mark.ARROW

    def _unshielded(self) -> Iterator[tuple[str, str, str]]:
        for b, near in self.near.items():
            for a, c in combinations(near, 2):
                if (a, c) not in self.marks:
                    yield a, b, c

    def _set(self, a: str, b: str, mark: Mark) -> bool:
        """Put a mark at b if a circle is there; tell whether it was."""
        if self.marks[a, b] is not Mark.CIRCLE:
            return False
        self.marks[a, b] = mark
        return True

    def _has(self, a: str, b: str, mark: Mark) -> bool:
        return self.marks.get((a, b)) is mark

    def _directed(self, a: str, b: str) -> bool:
        return self._has(a, b, Mark.ARROW) and self._has(b, a, Mark.TAIL)

    def _rule_1(self) -> bool:
        """Apply: ``a *-> b o-* c``, a and c not adjacent, gives ``b -> c``."""
        changed = False
        for x, b, y in self._unshielded():
            for a, c in ((x, y), (y, x)):
                if self._has(a, b, Mark.ARROW) and self._has(c, b, Mark.CIRCLE):
                    self._set(c, b, Mark.TAIL)
                    self._set(b, c, Mark.ARROW)
                    changed = True
        return changed

    def _rule_2(self) -> bool:
        """Apply: ``a -> b *-> c`` or ``a *-> b -> c``, and ``a *-o c``, give ``a *-> c``."""
        changed = False
        for a, c in list(self.marks):
            if self._has(a, c, Mark.CIRCLE):
                for b in set(self.near[a]) & set(self.near[c]):
                    into = self._has(a, b, Mark.ARROW) and self._has(b, c, Mark.ARROW)
                    if into and (self._directed(a, b) or self._directed(b, c)):
                        changed |= self._set(a, c, Mark.ARROW)
        return changed

    def _rule_3(self) -> bool:
        """Apply: ``a *-> b <-* c``, ``a *-o d o-* c``, a and c apart, ``d *-o b``: ``d *-> b``."""
        changed = False
        for a, d, c in self._unshielded():
            if self._has(a, d, Mark.CIRCLE) and self._has(c, d, Mark.CIRCLE):
                for b in set(self.near[a]) & set(self.near[c]) & set(self.near[d]):
                    if self._has(a, b, Mark.ARROW) and self._has(c, b, Mark.ARROW):
                        changed |= self._set(d, b, Mark.ARROW)
        return changed

    def _rule_4(self) -> bool:
        """Decide b by a discriminating path that ends in ``b o-* c``: a collider, or not."""
        changed = False
        for b, c in list(self.marks):
            if not self._has(c, b, Mark.CIRCLE):
                continue
            for a in self.near[b]:
                leads = a != c and self._directed(a, c) and self._has(b, a, Mark.ARROW)
                if not leads or not self._discriminates(a, b, c):
                    continue
                if self._is_collider(a, b, c):
                    self._set(a, b, Mark.ARROW)
                    self._set(c, b, Mark.ARROW)
                else:
                    self._set(c, b, Mark.TAIL)
                self._set(b, c, Mark.ARROW)
                changed = True
                break
        return changed

    def _discriminates(self, a: str, b: str, c: str) -> bool:
        """Tell whether colliders that are parents of c lead from a to a node apart from c."""
        waiting, seen = deque([a]), {a, b, c}
        while waiting:
            node = waiting.popleft()
            for before in self.near[node]:
                if before in seen or not self._has(before, node, Mark.ARROW):
                    continue
                if (before, c) not in self.marks:
                    return True
                if self._directed(before, c) and self._has(node, before, Mark.ARROW):
                    seen.add(before)
                    waiting.append(before)
        return False

    def _partly_directed(self) -> Iterator[tuple[str, str]]:
        for a, c in list(self.marks):
            if self._has(a, c, Mark.ARROW) and self._has(c, a, Mark.CIRCLE):
                yield a, c

    def _rule_8(self) -> bool:
        """Apply: ``a -> b -> c`` and ``a o-> c`` give ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            for b in set(self.near[a]) & set(self.near[c]):
                if self._directed(a, b) and self._directed(b, c):
                    changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _rule_9(self) -> bool:
        """Apply: ``a o-> c`` and an uncovered path a, b, .., c, b and c apart: ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            firsts = [b for b in self.near[a] if b != c and (b, c) not in self.marks]
            if any(self._uncovered(a, b, c) for b in firsts):
                changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _rule_10(self) -> bool:
        """Apply: ``a o-> c``, ``b -> c <- d``, uncovered paths from a to b and d: ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            causes = [b for b in self.near[c] if b != a and self._directed(b, c)]
            for b, d in combinations(causes, 2):
                starts = [
                    [
                        first
                        for first in self.near[a]
                        if first != c and self._uncovered(a, first, end, c)
                    ]
                    for end in (b, d)
                ]
                if any(x != y and (x, y) not in self.marks for x in starts[0] for y in starts[1]):
                    changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _may_lead(self, a: str, b: str) -> bool:
        return not self._has(a, b, Mark.TAIL) and not self._has(b, a, Mark.ARROW)

    def _uncovered(self, start: str, first: str, end: str, without: str | None = None) -> bool:
        """Tell whether an uncovered, potentially directed path leads over `first` to `end`.

        Walks are searched. One that comes back to a node could be directed as a cycle, which no MAG
        has, so that each is a path.
        """
        if not self._may_lead(start, first):
            return False
        waiting, seen = deque([(start, first)]), {(start, first)}
        while waiting:
            before, node = waiting.popleft()
            if node == end:
                return True
            for after in self.near[node]:
                step = (node, after)
                if after in (start, without) or step in seen:
                    continue
                if (before, after) not in self.marks and self._may_lead(node, after):
                    seen.add(step)
                    waiting.append(step)
        return False

"""The Tsetlin machine as a scikit-learn classifier of categorical features."""

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from bnsieve.engine import RandomState, seed_of
from bnsieve.sieve.machine.machine import (
    Layout,
    Literals,
    Machine,
    MachineSettings,
    balanced_rows,
    every_row,
)
from bnsieve.sieve.machine.rules import Importance, Rule, extract_rules, importance
from bnsieve.table import Codes, Table, code_dtype


class WeightedTsetlinClassifier(ClassifierMixin, BaseEstimator):
    """Multi-class weighted Tsetlin machine for categorical features.

    Every feature becomes one literal per category (one-hot) and its negation. Each class has
    ``n_clauses`` clauses, conjunctions of literals with a weight; half of them vote for the class,
    half against it.

    Parameters
    ----------
    n_clauses : int, default=50
        The number of clauses per class.
    threshold : int, default=50
        T: votes are clamped to -T .. T, and feedback becomes rarer as they approach T or -T.
    specificity : float, default=5.0
        s, at least 1. Larger values make longer, more specific clauses.
    epochs : int, default=10
        The number of passes over the training rows.
    boost : bool, default=True
        Whether true literals of a firing clause are always strengthened, not only with probability
        1 - 1/s.
    balance : bool, default=True
        Whether training rows are resampled, so that all classes are equally frequent. Their number
        stays the same.
    random_state : int, RandomState, Generator or None, default=None
        The seed. An int makes the result reproducible, bit for bit, on any processor.
    n_jobs : int or None, default=None
        The number of threads: None for one, -1 for one per processor. The result is the same.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of the target.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the features, if all are strings.
    categories_ : tuple of tuples
        The categories of each feature in the training rows. For any other category, and for a
        missing value, no literal of the feature is true, negated or not.
    machine_ : Machine
        The trained machine.
    importance_ : Importance
        The paper's frequency F, weight W and importance I = F x W of each feature.
    rules_ : list of Rule
        The clauses as readable rules, those that explain most first.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> classifier = WeightedTsetlinClassifier(n_clauses=20, random_state=0).fit(X, y)
    >>> float(classifier.score(X, y))
    1.0
    """

    def __init__(
        self,
        n_clauses: int = 50,
        threshold: int = 50,
        specificity: float = 5.0,
        epochs: int = 10,
        boost: bool = True,
        balance: bool = True,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clauses = n_clauses
        self.threshold = threshold
        self.specificity = specificity
        self.epochs = epochs
        self.boost = boost
        self.balance = balance
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train a new machine.

        Parameters
        ----------
        X : table of categories, shape (n_samples, n_features)
            A pandas or polars DataFrame, a pyarrow Table or an array of integers, booleans or
            strings; see `bnsieve.table.Table.from_data`.
        y : array-like of shape (n_samples,)
            Classes of the target.

        Returns
        -------
        self
        """
        self.__dict__.pop("machine_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Train for ``epochs`` more epochs. The first call makes a new machine.

        On the same data, five epochs and then five more give the same machine as ten epochs.

        Parameters
        ----------
        X, y
            As for `fit`. The first call decides the features and their categories.
        classes : array-like of shape (n_classes,), optional
            All classes that may occur in later calls. Needed in the first call if its `y` lacks
            some.

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "machine_")
        target = self._read_target(X, y)
        table = self._read(X, reset=is_first)
        if is_first:
            self.classes_ = np.unique(target if classes is None else np.asarray(classes))
            self.categories_, self._names = table.categories, table.names
            n_classes, n_words = len(self.classes_), self._layout.n_words
            self.machine_ = Machine.new(n_classes, n_words, self._settings())
            # Of the machine, and of the resampling.
            sequence = np.random.SeedSequence(seed_of(self.random_state))
            self._seeds = sequence.generate_state(2, np.uint64).tolist()
        literals = self._literals(table)
        classes_of_rows = np.searchsorted(self.classes_, target).astype(np.int32)
        classes_of_rows[classes_of_rows == len(self.classes_)] = 0
        unknown = self.classes_[classes_of_rows] != target
        if unknown.any():
            raise ValueError(
                f"y has the class {target[unknown][0]!r}, which the first call did not announce: "
                "pass all classes as classes= in the first call"
            )
        machine_seed, balance_seed = self._seeds
        rows = every_row(literals)
        if self.balance:
            rows = balanced_rows(classes_of_rows, np.random.default_rng(balance_seed))
        self.machine_.train(
            literals,
            rows,
            classes_of_rows[rows],
            literals.layout.allowed(),
            epochs=self.epochs,
            seed=machine_seed,
            n_threads=effective_n_jobs(self.n_jobs),
        )
        self._matches = self.machine_.matches(literals, every_row(literals), classes_of_rows)
        self._n_by_class = np.bincount(classes_of_rows, minlength=len(self.classes_))
        return self

    def decision_function(self, X: Any) -> NDArray[np.int64]:
        """Return the vote sums.

        Returns
        -------
        ndarray of int64, shape (n_samples, n_classes)
            The sum of the votes for each class. For two classes, the votes for the second minus
            those for the first, of shape (n_samples,).
        """
        votes = self._votes(X)
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes for every row; the first of several with as many."""
        votes = self._votes(X)
        predicted: NDArray[Any] = self.classes_[votes.argmax(axis=1)]
        return predicted

    @property
    def importance_(self) -> Importance:
        """The paper's frequency F, weight W and importance I = F x W of each feature."""
        check_is_fitted(self, "machine_")
        return importance(self.machine_, self._layout)

    @property
    def rules_(self) -> list[Rule]:
        """The clauses as readable rules over the training rows, those that explain most first."""
        check_is_fitted(self, "machine_")
        return extract_rules(
            self.machine_,
            self._layout,
            self._matches,
            self._n_by_class,
            self._names,
            self.categories_,
            self._target_name,
            self.classes_.tolist(),
        )

    def _votes(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self, "machine_")
        return self.machine_.votes(self._literals(self._read(X, reset=False)))

    def _read(self, X: Any, *, reset: bool) -> Table:
        if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return Table.from_data(X)
        # Objects may hold None for a missing value; numbers must be finite.
        holds_objects = isinstance(X, np.ndarray) and X.dtype.hasobject
        array = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=not holds_objects)
        return Table.from_data(array)

    def _read_target(self, X: Any, y: ArrayLike | None) -> NDArray[Any]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        self._target_name = str(getattr(y, "name", None) or "target")
        target: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(target, input_name="y")
        check_classification_targets(target)
        check_consistent_length(X, target)
        return target

    def _literals(self, table: Table) -> Literals:
        """Code the values by the training categories; one not seen gets the first code beyond."""
        n_categories = np.diff(self._layout.first)
        codes: Codes = np.empty(table.codes.shape, dtype=code_dtype(int(n_categories.max()) + 1))
        for v, (known, given) in enumerate(zip(self.categories_, table.categories, strict=True)):
            place = {category: code for code, category in enumerate(known)}
            code_of = np.array([place.get(category, len(known)) for category in given])
            codes[v] = code_of.astype(codes.dtype)[table.codes[v]]
            if v in table.missing:
                codes[v, table.missing[v]] = len(known)
        return Literals.of(codes, n_categories)

    @property
    def _layout(self) -> Layout:
        return Layout.of([len(categories) for categories in self.categories_])

    def _settings(self) -> MachineSettings:
        checks = {
            "n_clauses": (self.n_clauses >= 1, "at least 1"),
            "threshold": (1 <= self.threshold <= 1 << 20, "between 1 and 1048576"),
            "specificity": (self.specificity >= 1, "at least 1"),
            "epochs": (self.epochs >= 1, "at least 1"),
        }
        for name, (ok, bound) in checks.items():
            if not ok:
                raise ValueError(f"{name} must be {bound}, not {getattr(self, name)!r}")
        return MachineSettings(self.n_clauses, self.threshold, self.specificity, self.boost)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

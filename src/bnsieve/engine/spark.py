"""The Spark cluster of the active session as an engine: the only file that imports pyspark.

Spark's Python workers run the tasks. Each reads its row groups from the files, so no row passes
through the JVM. The shared input is broadcast once. Spark starts the tasks of a lost executor again
elsewhere. Outcomes are merged in the order of the items, so the result is that of one thread.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark import SparkContext, cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from bnsieve.engine.local import Item, Outcome, Tell, threads
from bnsieve.engine.remote import Answer, RemoteEngine, perform


@dataclass(frozen=True)
class SparkEngine(RemoteEngine):
    """The workers of a Spark cluster."""

    def answers(
        self, work: Callable[[Item, Tell], Outcome], items: Sequence[Item]
    ) -> Generator[Answer]:
        """Yield the answers of all items in order."""
        if not items:
            return
        context = SparkContext.getOrCreate()
        shared = context.broadcast(cloudpickle.dumps(work))

        def task(item: bytes) -> bytes:
            answer = perform(cloudpickle.loads(shared.value), cloudpickle.loads(item))
            pickled: bytes = cloudpickle.dumps(answer)
            return pickled

        try:
            pickled = [cloudpickle.dumps(item) for item in items]
            # After each of its tasks a worker of Spark looks for garbage among all modules, which
            # takes half as long as the reading: one task for each worker, with several items.
            n_tasks = min(self.n_workers, len(pickled))
            answers = context.parallelize(pickled, n_tasks).map(task).collect()
        except PySparkException as error:
            raise _lost(error) from error
        except Exception as error:
            if type(error).__module__.startswith("py4j"):
                raise _lost(error) from error
            raise
        finally:
            shared.unpersist()
        for place, pickled_answer in enumerate(answers):
            answers[place] = None  # it may be large
            answer: Answer = cloudpickle.loads(pickled_answer)
            yield answer


def _lost(error: Exception) -> RuntimeError:
    said = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return RuntimeError(
        f"Spark could not finish the tasks: {said}; its workers need bnsieve and the same Python "
        "(PYSPARK_PYTHON), and must reach the files"
    )


@contextmanager
def connected(n_jobs: int | None = None) -> Iterator[SparkEngine]:
    """Yield the cluster of the active Spark session, which stays open.

    Raises
    ------
    RuntimeError
        If there is no session, or if it is of Spark Connect, which cannot run tasks of other
        libraries.
    """
    session = SparkSession.getActiveSession()
    if session is None:
        raise RuntimeError(
            "engine='spark' takes the active Spark session, and there is none: make one with "
            "SparkSession.builder.getOrCreate()"
        )
    try:
        context = session.sparkContext
    except (AttributeError, NotImplementedError, PySparkException) as error:
        raise RuntimeError(
            "engine='spark' needs a session with a SparkContext, and this one is of Spark Connect: "
            "use a cluster with dedicated access, or write Parquet and fit it with engine='local'"
        ) from error
    with threads(n_jobs) as run:
        yield SparkEngine(max(1, context.defaultParallelism), run)

"""Runs in the environment of another program: rows as Parquet in, synthetic rows or a score out.

The argument is a file of JSON, which names the program and files; or "judge": then each line of
standard input is the JSON of a table to score. Answers are lines of JSON on standard output.
"""

import contextlib
import importlib.metadata
import json
import logging
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd


def sdv(program, data, seed):
    """Learn and draw as the tutorial of SDV does, types found by itself."""
    import torch
    from sdv import single_table
    from sdv.metadata import Metadata

    torch.manual_seed(seed)
    tables = {"rows": data}
    metadata = Metadata.detect_from_dataframes(tables)
    classes = {"SDV GaussianCopula": "GaussianCopulaSynthesizer", "SDV CTGAN": "CTGANSynthesizer"}
    synthesizer = getattr(single_table, classes[program])(metadata)
    synthesizer.fit(tables)
    made = synthesizer.sample(len(data))
    return made["rows"] if isinstance(made, dict) else made


def data_synthesizer(data, seed):
    """Learn and draw as the notebook of DataSynthesizer does, without noise."""
    from multiprocessing.pool import ThreadPool

    from DataSynthesizer.DataDescriber import DataDescriber
    from DataSynthesizer.DataGenerator import DataGenerator
    from DataSynthesizer.lib import PrivBayes

    # One thread instead of a process for each processor: its time counts, and so does the limit.
    PrivBayes.Pool = lambda: ThreadPool(1)
    with tempfile.TemporaryDirectory() as folder:
        rows, description = (str(Path(folder, name)) for name in ("rows.csv", "description.json"))
        data.to_csv(rows, index=False)
        describer = DataDescriber(category_threshold=20)
        describer.describe_dataset_in_correlated_attribute_mode(rows, epsilon=0, k=2, seed=seed)
        describer.save_dataset_description_to_file(description)
        generator = DataGenerator()
        generator.generate_dataset_in_correlated_attribute_mode(len(data), description, seed)
        made = str(Path(folder, "made.csv"))
        generator.save_synthetic_data(made)
        return pd.read_csv(made)


def quality(job):
    """Return SDMetrics' quality score of synthetic beside real rows, with SDV's types."""
    from sdmetrics.reports.single_table import QualityReport
    from sdv.metadata import Metadata

    real, made = (pd.read_parquet(job[name]) for name in ("held_out", "made"))
    names = [name for name in real if name in made and name in job["columns"]]
    detected = Metadata.detect_from_dataframes({"rows": pd.read_parquet(job["training"])})
    ((_, table),) = detected.to_dict()["tables"].items()
    table = {"columns": {name: table["columns"][name] for name in names}}
    report = QualityReport()
    report.generate(real[names], made[names], table, verbose=False)
    version = importlib.metadata.version("sdmetrics")
    return {"quality": float(report.get_score()), "version": version}


def make(job):
    """Learn and draw; write the rows and return the processor seconds."""
    data, of_sdv = pd.read_parquet(job["training"]), job["program"].startswith("SDV")
    if of_sdv:  # what is imported before is not counted
        from sdv import single_table  # noqa: F401
    else:
        from DataSynthesizer import DataDescriber  # noqa: F401
    start = time.process_time()
    made = sdv(job["program"], data, job["seed"]) if of_sdv else data_synthesizer(data, job["seed"])
    seconds = time.process_time() - start
    made.to_parquet(job["made"])
    version = importlib.metadata.version("sdv" if of_sdv else "DataSynthesizer")
    return {"seconds": seconds, "version": version}


def main(path):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    answers = sys.stdout
    # Some programs print while they work.
    with contextlib.redirect_stdout(sys.stderr):
        if path == "judge":
            for line in sys.stdin:
                print(json.dumps(quality(json.loads(line))), file=answers, flush=True)
        else:
            made = make(json.loads(Path(path).read_text()))
            print(json.dumps(made), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

"""A hook of MkDocs: notebooks in docs/notebooks become pages, with the outputs of a fresh run.

In: notebooks without outputs. Out: a Markdown page for each, in the place of the notebook, which
stays beside it to be downloaded. A cell that raises or warns ends the build.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

SECONDS = 300  # most that a cell may take, on a busy machine


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook."""
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            page = file.src_uri.removesuffix(".ipynb") + ".md"
            content = page_of(Path(str(file.abs_src_path)))
            files.append(File.generated(config, page, content=content))
    return files


def page_of(path: Path) -> str:
    """Run a notebook in an empty folder; return it as Markdown."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        NotebookClient(
            notebook, timeout=SECONDS, resources={"metadata": {"path": folder}}
        ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise ValueError(f"{path.name} writes to stderr: {output['text']}")
            # Without the plain text, the exporter has one thing to show for each output.
            data: dict[str, Any] = output.get("data", {})
            if "text/html" in data:
                # A table of pandas looks like the site's others once it has no class.
                plain = data["text/html"].replace(' border="1" class="dataframe"', "")
                output["data"] = {"text/html": plain}
    text, _ = MarkdownExporter().from_notebook_node(notebook)
    download = f"[Download this notebook]({path.name}) and run it yourself.\n"
    title, _, rest = text.partition("\n\n")
    return f"{title}\n\n{download}\n{rest}"

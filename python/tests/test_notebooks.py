"""The notebooks run, with fewer points than a reader would take, and are kept without outputs."""
import pytest
from conftest import ROOT

FOLDER = ROOT / "python" / "notebooks"
# what each of them needs, and the values of its cell that is tagged "parameters"
NOTEBOOKS = {
    "cross_section": (["matplotlib"], "precision = 0.05"),
    "network": (["matplotlib", "torch"], "points, epochs = 2000, 25"),
    "jets": (["matplotlib", "awkward", "fastjet"], "count = 1000"),
}


def test_all_notebooks_are_listed_and_have_no_outputs():
    nbformat = pytest.importorskip("nbformat")
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NOTEBOOKS)
    for name in NOTEBOOKS:
        for cell in nbformat.read(FOLDER / f"{name}.ipynb", 4).cells:
            assert not cell.get("outputs") and not cell.get("execution_count"), f"{name}: clear the outputs"


@pytest.mark.parametrize("name", sorted(NOTEBOOKS))
def test_notebook_runs(name, tmp_path, monkeypatch):
    needs, smaller = NOTEBOOKS[name]
    for package in ["nbformat", "nbclient", "ipykernel", *needs]:
        pytest.importorskip(package)
    import nbclient
    import nbformat

    monkeypatch.delenv("MPLBACKEND", raising=False)  # pictures go into the notebook
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    parameters.source = smaller
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])) >= 1

"""The environment of a result: where it was made, down to the hardware."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nlgauge
from nlgauge.engine import environment as module
from nlgauge.results.storage.load import load
from nlgauge.show.page_data.data import view_of


def test_a_result_says_on_which_hardware_it_was_made(tmp_path: Path) -> None:
    result = nlgauge.score(["a cat"], ["a dog"], metrics="wer")
    assert {"processor", "memory", "cores", "machine", "python", "kernels"} <= set(result.environment)
    assert result.environment["memory"].endswith(" GiB")
    assert float(result.environment["memory"].split()[0]) > 0
    result.save(tmp_path / "saved")
    assert load(tmp_path / "saved").environment == result.environment
    assert view_of(result, "page", resamples=1).meta["environment"]["memory"] == result.environment["memory"]


def test_the_processor_is_read_from_the_system(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(module.platform, "processor", lambda: "from platform")
    assert module._processor() == "from platform"
    (tmp_path / "cpuinfo").write_text(
        "processor\t: 0\nmodel name\t: Xeon 2.20GHz\nprocessor\t: 1\nmodel name\t: other\n"
    )
    assert module._processor() == "Xeon 2.20GHz"
    (tmp_path / "cpuinfo").write_text("processor\t: 0\n")
    assert module._processor() == "from platform"


def test_a_graphics_card_is_named_only_if_torch_is_imported(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert "device" not in module.environment()
    assert "torch" not in sys.modules
    idle = SimpleNamespace(is_initialized=lambda: False)
    no_mps = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=idle, backends=no_mps))
    assert module.environment()["device"] == "cpu"
    cards = SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 2, get_device_name=lambda number: "Tesla T4"
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cards, backends=no_mps))
    assert module.environment()["device"] == "Tesla T4"
    used = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: True))
    monkeypatch.setitem(
        sys.modules,
        "torch",
        SimpleNamespace(cuda=idle, backends=used, mps=SimpleNamespace(current_allocated_memory=lambda: 1)),
    )
    assert module.environment()["device"] == "mps"


def test_scoring_words_does_not_import_torch_for_the_environment() -> None:
    program = "import nlgauge, sys; nlgauge.score(['a'], ['a'], metrics='wer'); print('torch' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False"
    )

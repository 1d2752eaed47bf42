"""Requests to the Hugging Face hub: the commit and the file names of a repository, and its files."""

from __future__ import annotations

import shutil
from pathlib import Path

from nlgauge._core.paths import within, write_whole
from nlgauge.errors import MissingExtraError, ModelError
from nlgauge.models.weights.catalog import pinned_commits
from nlgauge.models.weights.store import cache_directory


def listed(repository: str, wanted: str = "") -> tuple[str, list[str]]:
    """Return the commit of a repository, and the names of its files.

    The files are then downloaded from exactly this commit, which the manifest records. `wanted` is a
    revision. By default it is the pinned commit, or else the commit that was downloaded into this cache
    before, or else the newest.
    """
    try:
        from huggingface_hub import model_info
    except ImportError:
        raise MissingExtraError("huggingface_hub", "models", "downloading from the hub") from None
    revision = wanted or _usual_revision(repository)
    try:
        info = model_info(repository, revision=revision or None)
    except Exception as error:
        other = "; use NAME@main for the newest revision" if revision and not wanted else ""
        raise ModelError(
            f"could not download {repository}{f' at {revision}' if revision else ''} from the hub:"
            f" {error}{other}"
        ) from error
    return str(info.sha), [str(file.rfilename) for file in getattr(info, "siblings", None) or ()]


def download(repository: str, commit: str, place: Path, patterns: list[str]) -> None:
    """Download the files of a commit whose names match the patterns to a directory."""
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(repository, revision=commit, local_dir=place, allow_patterns=patterns)
    except Exception as error:
        raise ModelError(f"could not download {repository} at {commit} from the hub: {error}") from error
    shutil.rmtree(place / ".cache", ignore_errors=True)


def _usual_revision(repository: str) -> str:
    """Return the default commit of a repository: the pinned or the recorded commit; "" for the newest."""
    if repository in pinned_commits():
        return pinned_commits()[repository]
    record = _record(repository)
    return record.read_text("utf-8").strip() if record.is_file() else ""


def remember(repository: str, commit: str) -> None:
    """Record the commit of a repository, so that later downloads into this cache use the same commit.

    A pinned or recorded commit is not replaced.
    """
    if not _usual_revision(repository):
        record = _record(repository)
        record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(record, f"{commit}\n")


def _record(repository: str) -> Path:
    """Return the file with the recorded commit, outside the directory of the model, which may be removed."""
    return within(cache_directory() / ".revisions", repository.replace("/", "--"), "a repository")

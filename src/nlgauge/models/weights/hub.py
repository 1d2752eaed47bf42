"""What is asked of the Hugging Face hub: the commit of a repository with its files, and then the files of
exactly that commit.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from nlgauge._core.paths import within, write_whole
from nlgauge.errors import MissingExtraError, ModelError
from nlgauge.models.weights.catalogue import pinned_commits
from nlgauge.models.weights.store import cache_directory


def listed(repository: str, wanted: str = "") -> tuple[str, list[str]]:
    """The commit of a repository, and the names of its files, so that what is fetched is what is recorded.

    Without a revision that is wanted it is the pinned one, else the one that was fetched into this cache
    before, else the newest.
    """
    try:
        from huggingface_hub import model_info
    except ImportError:
        raise MissingExtraError("huggingface_hub", "models", "fetching from the hub") from None
    revision = wanted or _usual_revision(repository)
    try:
        info = model_info(repository, revision=revision or None)
    except Exception as error:
        other = "; NAME@main asks for the newest instead" if revision and not wanted else ""
        raise ModelError(
            f"could not fetch {repository}{f' at {revision}' if revision else ''} from the hub:"
            f" {error}{other}"
        ) from error
    return str(info.sha), [str(file.rfilename) for file in getattr(info, "siblings", None) or ()]


def download(repository: str, commit: str, place: Path, patterns: list[str]) -> None:
    """Puts the files of a commit whose names fit the patterns into a directory."""
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(repository, revision=commit, local_dir=place, allow_patterns=patterns)
    except Exception as error:
        raise ModelError(f"could not fetch {repository} at {commit} from the hub: {error}") from error
    shutil.rmtree(place / ".cache", ignore_errors=True)


def _usual_revision(repository: str) -> str:
    """The commit that is fetched where no revision is asked for; "" for the newest, of which nothing is
    known yet.
    """
    if repository in pinned_commits():
        return pinned_commits()[repository]
    record = _record(repository)
    return record.read_text("utf-8").strip() if record.is_file() else ""


def remember(repository: str, commit: str) -> None:
    """Keeps the commit that a repository was fetched at, so that every later fetch into this cache takes
    the same one; a known one stays.
    """
    if not _usual_revision(repository):
        record = _record(repository)
        record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(record, f"{commit}\n")


def _record(repository: str) -> Path:
    """Apart from the model's own directory, which may be removed and fetched again."""
    return within(cache_directory() / ".revisions", repository.replace("/", "--"), "a repository")

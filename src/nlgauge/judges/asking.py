"""ChatReplies: raw replies of a judge to conversations, from the cache or from the judge."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.progress import report
from nlgauge._core.ragged import Ragged, offsets_of
from nlgauge.errors import JudgeError
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.judges.cache import Cache, common_file
from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client
from nlgauge.judges.endpoint import Endpoint, Unanswered
from nlgauge.judges.limits import Ledger, LimitReached, estimated_cost, estimated_tokens
from nlgauge.judges.local import LocalJudge, local_identity
from nlgauge.judges.reading import Reads
from nlgauge.judges.requests import (
    TOP_TOKENS,
    Message,
    Request,
    Response,
    failed,
    is_cut,
    samples_of,
    text_of,
    tokens_of,
)
from nlgauge.models import Model, ModelSpec, model_name

Reply = dict[str, Any]
# Rows, each with the numbers of its missing samples; and a function that caches samples of a row, which are
# complete replies.
_Missing = list[tuple[int, list[int]]]
_Keep = Callable[[int, Mapping[int, Reply]], None]
# Fewer samples than this may be equal by chance.
_EQUAL_SAMPLES = 3


@dataclass(frozen=True)
class Judge:
    """Model at an address, client of the user, or model on this machine; with the settings for calls."""

    model: ModelSpec | Client
    base_url: str = ""
    calls: str = ""

    @property
    def is_here(self) -> bool:
        """True if the judge is a model that runs in this process."""
        return not self.base_url and not isinstance(self.model, Client)

    @property
    def name(self) -> str:
        """Displayed name of the judge."""
        return repr(self.model).strip("'") if isinstance(self.model, Client) else model_name(self.model)

    def identity(self) -> tuple[str, str] | None:
        """Return the origin and the model of the replies; None if they cannot be identified.

        Both are part of the cache keys. Replies of a judge without an identity are not cached.
        """
        if isinstance(self.model, Client):
            return f"client:{self.model.name}", self.model.model
        if isinstance(self.model, Model):
            return None
        return (self.base_url, self.model) if self.base_url else ("here", local_identity(self.model))


@dataclass(frozen=True)
class Ask:
    """Settings of requests to a judge: the messages before every conversation, and the sampling.

    `n` is the number of replies, and `expects` reads them. If `alternatives` is True, the replies need the
    alternatives of each token, among which `levels` are looked up. If `again` is True, the judge is asked
    once more for each reply that cannot be read.
    """

    expects: Reads
    max_tokens: int
    before: tuple[Message, ...] = ()
    n: int = 1
    temperature: float = 0.0
    seed: int = 0
    alternatives: bool = False
    levels: tuple[str, ...] = ()
    again: bool = True

    def request(self, conversation: Sequence[str]) -> Request:
        """Return the request for a conversation: texts of the user and of the judge in turn."""
        turns = tuple(("assistant" if i % 2 else "user", text) for i, text in enumerate(conversation))
        top = TOP_TOKENS if self.alternatives else 0
        return Request((*self.before, *turns), self.max_tokens, self.temperature, 1.0, self.seed, top)


@dataclass(frozen=True)
class ChatReplies(Feature):
    """Replies of a judge to a conversation, as JSON.

    The first `n` replies come first, then one more for each of them that could not be read.
    """

    judge: Judge
    ask: Ask

    kept: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"ChatReplies({self.judge.name})"

    def new_memory(self) -> Ledger:
        return Ledger()

    def compute(self, keys: list[tuple[str, ...]], work: Work) -> Ragged:
        ledger: Ledger = work.memory
        before = dict(ledger.used)
        ledger.join_budget()
        try:
            rows = _Asking(self.judge, self.ask, Calls.of(self.judge.calls), ledger, work.options).replies(
                keys
            )
        finally:
            if work.features is not None:
                for name, amount in ledger.used.items():
                    work.features.used[f"judge {name.replace('_', ' ')}"] += amount - before.get(name, 0)
        encoded = [msgspec.json.encode(row) for row in rows]
        return Ragged(
            np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of([len(row) for row in encoded])
        )


def decoded(column: Ragged, row: int) -> list[Reply]:
    """Return the replies of one row of the feature."""
    replies: list[Reply] = msgspec.json.decode(column[row].tobytes())
    return replies


@dataclass
class _Asking:
    """One round of requests: replies that exist, replies that are missing, and the judge."""

    judge: Judge
    ask: Ask
    calls: Calls
    ledger: Ledger
    options: RunOptions
    _known: list[dict[int, Reply]] = field(default_factory=list)

    def replies(self, conversations: Sequence[tuple[str, ...]]) -> list[list[Reply]]:
        """Return the replies to each conversation."""
        requests = [self.ask.request(conversation) for conversation in conversations]
        self._known = [{} for _ in requests]
        identity = self.judge.identity() if self.calls.cache != "off" else None
        cache = (
            None if identity is None else Cache(Path(self.calls.cache) if self.calls.cache else common_file())
        )
        try:
            self._fill(requests, [range(self.ask.n)] * len(requests), cache, identity)
            if self.ask.again:
                unread = [
                    sum(not self._is_read(reply) for reply in samples.values()) for samples in self._known
                ]
                self._fill(
                    requests, [range(self.ask.n, self.ask.n + more) for more in unread], cache, identity
                )
        finally:
            if cache is not None:
                cache.close()
        rows = [[samples[index] for index in sorted(samples)] for samples in self._known]
        self._warn(rows)
        return rows

    def _is_read(self, reply: Reply) -> bool:
        """Return True if asking once more is useless: the reply can be read, or there is none."""
        return "failure" in reply or (
            self.ask.expects.read(text_of(reply)) is not None and (self.ask.alternatives or not is_cut(reply))
        )

    def _fill(
        self,
        requests: list[Request],
        samples: Sequence[range],
        cache: Cache | None,
        identity: tuple[str, str] | None,
    ) -> None:
        """Add the samples with these numbers for each request, from the cache or from the judge."""
        names: dict[str, tuple[int, int]] = {}
        if cache is not None and identity is not None:
            names = {
                request.key(*identity, index): (row, index)
                for row, request in enumerate(requests)
                for index in samples[row]
            }
            for name, reply in cache.get(list(names)).items():
                row, index = names[name]
                self._known[row][index] = reply
            self.ledger.add(
                "cached",
                sum(
                    len(row_replies.keys() & set(samples[row])) for row, row_replies in enumerate(self._known)
                ),
            )
        missing = [
            (row, [index for index in samples[row] if index not in self._known[row]])
            for row in range(len(requests))
        ]
        missing = [(row, indices) for row, indices in missing if indices]
        if not missing:
            return
        places = {place: name for name, place in names.items()}

        def keep(row: int, replies: Mapping[int, Reply]) -> None:
            if cache is not None:
                cache.put({places[row, index]: reply for index, reply in replies.items()})

        for done, (row, replies) in enumerate(self._answers(requests, missing, keep), 1):
            self._known[row] |= replies
            report(f"asking ({self.judge.name})", done, len(missing))

    def _answers(
        self, requests: list[Request], missing: _Missing, keep: _Keep
    ) -> Iterator[tuple[int, dict[int, Reply]]]:
        if self.calls.offline:
            count = sum(len(indices) for _, indices in missing)
            raise JudgeError(
                f"the cache lacks {counted(count, 'reply', 'replies')}, and the judge is offline; run once without the"
                " setting `offline`."
            )
        if self.calls.dry_run:
            return self._counted(requests, missing)
        if self.judge.is_here:
            assert not isinstance(self.judge.model, Client)
            local = LocalJudge(self.judge.model, self.options, self.ask.levels)
            return local.answers(
                [(row, requests[row], indices) for row, indices in missing], self.ledger, keep
            )
        return self._sent(requests, missing, keep)

    def _counted(self, requests: list[Request], missing: _Missing) -> Iterator[tuple[int, dict[int, Reply]]]:
        for row, indices in missing:
            request = replace(requests[row], choices=len(indices))
            self.ledger.add("requests not sent")
            self.ledger.add("characters not sent", request.characters)
            for what, tokens in zip(("prompt", "reply"), estimated_tokens(request), strict=True):
                self.ledger.add(f"estimated {what} tokens", tokens)
            self.ledger.add("estimated cost", estimated_cost(request, self.calls))
            yield row, {index: failed("not_asked", "this was a dry run") for index in indices}

    def _sent(
        self, requests: list[Request], missing: _Missing, keep: _Keep
    ) -> Iterator[tuple[int, dict[int, Reply]]]:
        client = self.judge.model if isinstance(self.judge.model, Client) else None
        model = "" if client is not None else str(self.judge.model)
        self.ledger.check(
            [replace(requests[row], choices=len(indices)) for row, indices in missing], self.calls
        )
        try:
            yield from self._all_sent(model, client, requests, missing, keep)
        except LimitReached as limit:  # by now no request is in flight
            raise self.ledger.exceeded(limit, self.calls) from None

    def _all_sent(
        self, model: str, client: Client | None, requests: list[Request], missing: _Missing, keep: _Keep
    ) -> Iterator[tuple[int, dict[int, Reply]]]:
        with closing(Endpoint(model, self.judge.base_url, client, self.calls, self.ledger)) as endpoint:
            pool = ThreadPoolExecutor(self.calls.concurrency)
            try:
                rows = {
                    pool.submit(self._asked_or_stopped, endpoint, requests[row], row, indices, keep): row
                    for row, indices in missing
                }
                for future in as_completed(rows):
                    yield rows[future], future.result()
            finally:
                endpoint.stopped.set()
                pool.shutdown(cancel_futures=True)

    def _asked_or_stopped(
        self, endpoint: Endpoint, request: Request, row: int, indices: list[int], keep: _Keep
    ) -> dict[int, Reply]:
        try:
            return self._asked(endpoint, request, row, indices, keep)
        except BaseException:
            endpoint.stopped.set()  # set here, so that no other thread sends another request
            raise

    def _asked(
        self, endpoint: Endpoint, request: Request, row: int, indices: list[int], keep: _Keep
    ) -> dict[int, Reply]:
        """Return the samples with these numbers, and cache each as soon as it is received.

        They are requested at once if the server supports that, else one by one.
        """
        samples: dict[int, Reply] = {}
        if len(indices) > 1 and not self.ledger.ignores_choices:
            several = replace(request.sample(indices[0]), choices=len(indices))
            try:
                samples |= zip(indices, self._checked(endpoint.ask(several)), strict=False)
            except Unanswered as unanswered:
                if unanswered.failure != "failed":
                    return dict.fromkeys(indices, failed(unanswered.failure, str(unanswered)))
            self.ledger.ignores_choices |= len(samples) < len(indices)
            keep(row, samples)
        for index in indices[len(samples) :]:
            try:
                samples[index] = self._checked(endpoint.ask(request.sample(index)))[0]
                keep(row, {index: samples[index]})
            except Unanswered as unanswered:
                samples[index] = failed(unanswered.failure, str(unanswered))
                if unanswered.failure == "failed":
                    self.ledger.fail(str(unanswered))
        return samples

    def _checked(self, response: Response) -> list[Reply]:
        """Return the samples of a response; raise JudgeError if token probabilities are missing."""
        samples = samples_of(response)
        for reply in samples:
            if (
                self.ask.alternatives
                and not tokens_of(reply)
                and (text_of(reply) or tokens_of(reply) is None)
            ):
                raise JudgeError(
                    f"{self.judge.name} did not return the probabilities of tokens (logprobs); use"
                    " scoring='samples', or an endpoint that returns them."
                )
        return samples

    def _warn(self, rows: list[list[Reply]]) -> None:
        """Warn, once per metric and corpus, about missing replies and unexpected behavior of a server."""
        unanswered = next(
            (reply["why"] for row in rows for reply in row if reply.get("failure") == "failed"), None
        )
        if unanswered is not None:
            self._warn_once(
                f"{self.judge.name} did not reply to some or all requests; the first reason: {unanswered}"
            )
        drawn = [
            {text_of(reply) for reply in row[: self.ask.n]}
            for row in rows
            if sum("failure" not in reply for reply in row) >= _EQUAL_SAMPLES
        ]
        if (
            self.ask.temperature > 0
            and self.ask.n >= _EQUAL_SAMPLES
            and drawn
            and all(len(texts) == 1 for texts in drawn)
        ):
            self._warn_once(
                f"all {self.ask.n} samples of {self.judge.name} are equal for every prompt, at temperature"
                f" {self.ask.temperature:g}; the judge may ignore the temperature."
            )
        self.ledger.fingerprints |= {
            reply["system_fingerprint"] for row in rows for reply in row if reply.get("system_fingerprint")
        }
        if len(self.ledger.fingerprints) > 1:
            self._warn_once(
                f"the replies of {self.judge.name} have different fingerprints"
                f" ({', '.join(sorted(self.ledger.fingerprints))}): its model or its settings changed between"
                " them."
            )

    def _warn_once(self, message: str) -> None:
        if message not in self.ledger.warned:
            self.ledger.warned.add(message)
            warnings.warn(message, stacklevel=2)

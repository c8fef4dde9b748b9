"""Two ways to the same answer, taken in turn, so that whatever else the machine does falls on both alike."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles

#: Makes one call and returns how many seconds it took, without what had to be prepared for it.
Call = Callable[[], Awaitable[float]]

#: Calls of each side before anything is counted: plans are made, and Java compiles what it finds hot.
WARM_UP = 100
#: Where an answer takes long, so many calls of each side are enough to warm up, and to count.
LEAST_CALLS = 5
#: Of several clients, one side runs for so long before it is the other's turn.
TURN_SECONDS = 1.0
#: What a large store is compared with has so many messages; a smaller one is measured on a cold Java.
BASE = 10_000
#: Budget of DESIGN §9 for one client: twice the raw query, or so much above it, whichever is more.
BUDGET_RATIO, BUDGET_MS = 2.0, 5.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ways to one answer, and how many clients ask for it at once."""

    what: str
    clients: int
    http: Call
    raw: Call


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of many calls, and how many a second."""

    p50: float
    p99: float
    calls: int
    per_second: float


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement."""

    size: int
    what: str
    clients: int
    http: Latency
    raw: Latency

    @property
    def ratio(self) -> float:
        """How many times the raw p50 the HTTP p50 is."""
        return self.http.p50 / self.raw.p50

    @property
    def within_budget(self) -> bool | None:
        """Whether the p50 keeps its budget; None where there is none."""
        if self.clients > 1:
            return None
        return self.http.p50 <= max(BUDGET_RATIO * self.raw.p50, self.raw.p50 + BUDGET_MS)


@dataclass(frozen=True, slots=True)
class Growth:
    """How many times as long the large store takes for one thing as the small one, at p50."""

    what: str
    clients: int
    small: Figures
    large: Figures

    @property
    def http(self) -> float:
        """Over HTTP."""
        return self.large.http.p50 / self.small.http.p50

    @property
    def raw(self) -> float:
        """By the driver alone."""
        return self.large.raw.p50 / self.small.raw.p50


class _Side:
    """One way, with the time of each of its calls."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._times: list[float] = []
        self._busy = 0.0

    async def turn(self, clients: int) -> None:
        """Let one client call once, or several for a while, each waiting for its answers."""
        if clients == 1:
            self._times.append(await self._call())
            return
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(self._client(began + TURN_SECONDS))
        self._busy += time.perf_counter() - began

    async def _client(self, until: float) -> None:
        while time.perf_counter() < until:
            self._times.append(await self._call())

    def latency(self) -> Latency:
        """Return what was found."""
        cuts = quantiles(self._times, n=100, method="inclusive")
        busy = self._busy or sum(self._times)
        return Latency(cuts[49] * 1000, cuts[98] * 1000, len(self._times), len(self._times) / busy)


async def measure(size: int, pair: Pair, seconds: float, warm_up_seconds: float = math.inf) -> Figures:
    """Return the figures of both ways to an answer, taken in turn for about so many seconds.

    Warming up takes 100 calls of each, or ``warm_up_seconds`` if that is less.
    """
    (figures,) = await _in_turn([(size, pair)], seconds, warm_up_seconds)
    return figures


async def measure_growth(small: tuple[int, Pair], large: tuple[int, Pair], seconds: float) -> Growth:
    """Return how a large store compares with a small one, each with its size: both ways of both, all in turn."""
    small_figures, large_figures = await _in_turn([small, large], seconds, math.inf)
    return Growth(large_figures.what, large_figures.clients, small_figures, large_figures)


async def _in_turn(pairs: Sequence[tuple[int, Pair]], seconds: float, warm_up_seconds: float) -> list[Figures]:
    until = time.perf_counter() + warm_up_seconds
    for calls in range(WARM_UP):
        if calls >= LEAST_CALLS and time.perf_counter() > until:
            break
        for _, pair in pairs:
            await pair.http()
            await pair.raw()
    sides = [(_Side(pair.http), _Side(pair.raw)) for _, pair in pairs]
    until, turns = time.perf_counter() + seconds, 0
    while time.perf_counter() < until or (pairs[0][1].clients == 1 and turns < LEAST_CALLS):
        for (_, pair), ways in zip(pairs, sides, strict=True):
            for way in ways:
                await way.turn(pair.clients)
        turns += 1
    return [
        Figures(size, pair.what, pair.clients, http.latency(), raw.latency())
        for (size, pair), (http, raw) in zip(pairs, sides, strict=True)
    ]

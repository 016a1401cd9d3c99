"""How much a run may spend; looked at before every call, with the call's own cost set aside."""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from recodeh.data.errors import InputError
from recodeh.eval.events import Row
from recodeh.eval.models.model import Reply, Request, reply_of
from recodeh.eval.models.prices import Cost, Prices, cost_of, load_prices

CHARACTERS_PER_TOKEN = 3
"""Rather too few than too many: what is set aside should not be less than what is spent."""
LONGEST_ANSWER = 4096
"""Tokens set aside for an answer when the parameters do not bound it."""


class Exhausted(Exception):
    """The budget does not allow another call; the run stops here and can be taken up."""


@dataclass(frozen=True)
class Budget:
    """Upper bounds of a run, over all the times that it is taken up; None is no bound."""

    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    """Of this call of `run` alone."""


UNBOUNDED: Final = Budget()


class Purse:
    """What is left of a budget; safe for threads."""

    def __init__(
        self,
        budget: Budget,
        models: Iterable[str],
        prices: Prices | None = None,
        *,
        by_money: bool = False,
    ) -> None:
        """`by_money` says that episodes are bounded by money too, so that prices are needed."""
        self._budget = budget
        self._prices = prices or load_prices()
        self._spent = Cost()
        self._aside = Cost()
        self._started = time.monotonic()
        self._settled = threading.Condition()
        if by_money or budget.usd is not None:
            self._check_prices(models)

    @property
    def spent(self) -> Cost:
        """What the answered calls cost."""
        return self._spent

    def count_log(self, rows: Iterable[Row], model_of: Mapping[str, str]) -> None:
        """Take over what a log says was paid; `model_of` names each episode's model."""
        for row in rows:
            if row["event"] == "model_called" and not row["reused"]:
                reply = reply_of(row["reply"])
                if reply.usd is None:
                    reply = self.priced(model_of[row["episode"]], reply)
                self._spent += Cost(reply.tokens, reply.usd or 0.0)

    def set_aside(self, request: Request) -> Cost:
        """Keep what the call may cost at most, once calls under way leave room for it.

        Raises Exhausted when there will be no room.
        """
        wanted = self._most(request)
        with self._settled:
            while self._over(self._spent + self._aside + wanted):
                if reason := self._over(self._spent + wanted):
                    raise Exhausted(reason)
                self._settled.wait()
            if reason := self._late():
                raise Exhausted(reason)
            self._aside += wanted
        return wanted

    def priced(self, model: str, reply: Reply) -> Reply:
        """The reply with what it cost, where its price and its usage are known."""
        price = self._prices.price(model)
        if price is None or (None in (reply.input_tokens, reply.output_tokens) and not price.free):
            return reply
        usd = round(cost_of(reply, price).usd, 9)
        return replace(reply, usd=usd, priced=self._prices.version.isoformat())

    def settle(self, request: Request, aside: Cost, reply: Reply | None) -> None:
        """Take what the call did cost in place of what was kept for it; nothing if it failed."""
        paid = cost_of(reply, self._prices.price(request.model)) if reply else Cost()
        with self._settled:
            self._aside += Cost(-aside.tokens, -aside.usd)
            self._spent += paid
            self._settled.notify_all()

    def _over(self, total: Cost) -> str:
        budget = self._budget
        if budget.usd is not None and total.usd > budget.usd:
            return f"the budget of {budget.usd:g} USD does not allow another call"
        if budget.tokens is not None and total.tokens > budget.tokens:
            return f"the budget of {budget.tokens} tokens does not allow another call"
        return ""

    def _late(self) -> str:
        seconds = self._budget.seconds
        late = seconds is not None and time.monotonic() - self._started > seconds
        return f"the {seconds:g} seconds are over" if late else ""

    def _most(self, request: Request) -> Cost:
        letters = sum(len(message.content) for message in request.messages)
        asked = -(-letters // CHARACTERS_PER_TOKEN)
        bounds = (request.parameters.get(name) for name in _BOUNDS)
        answered = next((bound for bound in bounds if isinstance(bound, int)), LONGEST_ANSWER)
        price = self._prices.price(request.model)
        return Cost(asked + answered, price.of(asked, answered) if price else 0.0)

    def _check_prices(self, models: Iterable[str]) -> None:
        unknown = [name for name in models if self._prices.price(name) is None]
        if unknown:
            raise InputError(
                f"no price is known for {', '.join(unknown)}, so money cannot bound the run",
                mend="bound tokens instead, or give a table with --prices",
            )


_BOUNDS = ("max_completion_tokens", "max_tokens")

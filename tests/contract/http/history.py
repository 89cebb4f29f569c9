"""What clients asked and were told, and whether a store that loses, doubles and reorders nothing
could have told them so.

A store is a set of registers, one per (user, item). They are linearizable if each by itself is: if
there is an order of its calls that keeps to the times at which they began and ended, and in which
every answer is the one that a single register would have given.
"""
import threading
import time
from dataclasses import dataclass, field
from typing import Any

PROMISED = 4.5  # an answer that took longer, 5 s at most, does not say that the write counts


@dataclass
class Call:
    """`end` is None where no answer came: it may have happened, at any time, or not at all."""
    kind: str  # put, delete, get
    user: str
    item: str
    value: Any = None   # what put wrote
    begin: float = 0
    end: float | None = None
    # Of put: whether it is new. Of delete: whether there was something. Of get: the value, or None.
    result: Any = None
    life: Any = None    # of the server that answered

    def leads_to(self, state):
        """The state after it, as a tuple of one; None if this answer was not possible."""
        known = self.end is not None
        if self.kind == "get":
            return (state,) if state == self.result else None
        if self.kind == "put":
            return (self.value,) if not known or self.result == (state is None) else None
        return (None,) if not known or self.result == (state is not None) else None


@dataclass
class Listed:
    """A list of recommendations, which has no item that the person has rated."""
    user: str
    items: set
    version: int
    begin: float
    end: float
    life: Any


@dataclass
class History:
    calls: list = field(default_factory=list)
    lists: list = field(default_factory=list)
    begun: dict = field(default_factory=dict)  # life -> when its server was started
    lock: Any = field(default_factory=threading.Lock)

    def call(self, **what):
        return Call(begin=time.monotonic(), **what)

    def add(self, one):
        with self.lock:
            (self.lists if isinstance(one, Listed) else self.calls).append(one)


def order_of(calls):
    """An order in which one register would have answered so; None if there is none. Calls that were
    not answered may be left out. Wing and Gong's search, with the states that failed remembered."""
    calls = sorted(calls, key=lambda call: call.begin)
    answered = sum(1 << k for k, call in enumerate(calls) if call.end is not None)
    failed = set()
    stack = [(0, None, ())]
    while stack:
        done, state, order = stack.pop()
        if done & answered == answered:
            return [calls[k] for k in unrolled(order)]
        if (done, state) in failed:
            continue
        failed.add((done, state))
        earliest = min(call.end for k, call in enumerate(calls)
                       if call.end is not None and not done >> k & 1)
        next_ones = []
        for k, call in enumerate(calls):
            if call.begin > earliest:
                break
            if done >> k & 1:
                continue
            after = call.leads_to(state)
            if after is not None:
                next_ones.append((call.end is not None, k, after[0]))
        # The last is tried first: of those answered, the one that began first.
        for _, k, after in sorted(next_ones, key=lambda one: (one[0], -one[1])):
            stack.append((done | 1 << k, after, (k, order)))
    return None


def unrolled(order):
    out = []
    while order:
        k, order = order
        out.append(k)
    return out[::-1]


def by_register(calls):
    out = {}
    for call in calls:
        out.setdefault((call.user, call.item), []).append(call)
    return out


def impossible(history):
    """Registers, and their calls, that no order explains: something was lost, doubled or reordered."""
    return {where: sorted(calls, key=lambda call: call.begin)
            for where, calls in by_register(history.calls).items() if order_of(calls) is None}


def changes(history):
    """How many changes the store has to count at least, and at most."""
    done = sum(call.kind == "put" or (call.kind == "delete" and call.result is True)
               for call in history.calls if call.end is not None)
    unsure = sum(call.kind != "get" and call.end is None for call in history.calls)
    return done, done + unsure


def unseen(history):
    """Pairs of a put and a list of the same person from the same server, or from one that was
    started after the put was acknowledged, that does not count it; and how many pairs were looked
    at."""
    registers = by_register(history.calls)
    wrong, looked_at = [], 0
    for put in history.calls:
        if put.kind != "put" or put.end is None or put.end - put.begin > PROMISED:
            continue
        deletes = [call for call in registers[put.user, put.item]
                   if call.kind == "delete" and (call.end is None or call.end > put.begin)]
        for listed in history.lists:
            same = listed.life == put.life and listed.begin > put.end
            later = history.begun.get(listed.life, 0) > put.end
            if listed.user != put.user or not (same or later):
                continue
            if any(delete.begin < listed.end for delete in deletes):
                continue
            looked_at += 1
            if put.item in listed.items:
                wrong.append((put, listed))
    return wrong, looked_at


def backwards(history):
    """Pairs of lists of one person from one server, the later one of which counts less."""
    lists = sorted(history.lists, key=lambda one: one.begin)
    out = []
    for k, later in enumerate(lists):
        out += [(one, later) for one in lists[:k] if one.user == later.user and
                one.life == later.life and one.end < later.begin and one.version > later.version]
    return out

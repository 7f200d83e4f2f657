"""Where the questions of a hidden test note their answers, and what else is noted beside them.

A strong question has an answer and a twin, which is always true. A weak one has ten places: any of them may
be answers, the others are twins. Who sees which of them changed has to guess which are which.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders.rust_questions import Question

WEAK = 10  # places of a weak question: who turns its answers round without its twins guesses 1 of 2^10 - 1


@dataclass(frozen=True, order=True)
class Sign:
    """An answer's number, and which of its two places means yes."""

    slot: int
    sign: bool

    @property
    def rust(self) -> str:
        return f"{self.slot}, {str(self.sign).lower()}"


@dataclass(frozen=True)
class Asked:
    """A question as it stands in the program."""

    question: Question
    strong: bool
    answers: Sequence[Sign]  # each notes whether it held
    twins: Sequence[Sign]  # always true, and not to be told from the answers

    def noted(self, seen: Sequence[str]) -> list[str]:
        """What a report says of it: of each answer, and of each twin."""
        return [seen[sign.slot] for sign in (*self.answers, *self.twins)]


def placed(question: Question, strong: bool, signs: Iterator[Sign], rng: random.Random) -> Asked:
    """With places of its own. Which of a weak question's are answers is another in every build."""
    if strong:
        return Asked(question, strong, [next(signs)], [next(signs)])
    which = rng.randrange(1, 2**WEAK)
    places = [(next(signs), which >> bit & 1) for bit in range(WEAK)]
    answers, twins = ([sign for sign, is_answer in places if is_answer == kind] for kind in (1, 0))
    return Asked(question, strong, answers, twins)


def weak(asked: Sequence[Asked]) -> Iterator[str]:
    """A function for each weak question; in the order of the places, which says nothing of what they are."""
    for number, one in enumerate(asked):
        if not one.strong:
            notes = [(sign, "held") for sign in one.answers] + [(sign, "yes") for sign in one.twins]
            said = [f"note({sign.slot}, {what}, {str(sign.sign).lower()});" for sign, what in sorted(notes)]
            body = " ".join(["let yes = ::std::hint::black_box(true);", *said])
            yield f"pub fn w{number}(held: bool) {{ {body} }}"

"""What marks make of entries (DESIGN §3.4; LESSONS 2, 3, 4, 18)."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from graph.rules.marking import ARCHIVE, INBOX, Entry, Mark, changed, marked, selected

entries = st.lists(
    st.builds(
        Entry,
        st.integers(0, 99).map(str),
        st.integers(1, 99),
        st.integers(1, 20),
        st.sampled_from([INBOX, ARCHIVE]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=8,
)
marks = st.sampled_from(Mark)


@given(found=entries, mark=marks)
def test_marking_again_changes_nothing(found: Sequence[Entry], mark: Mark) -> None:
    after = [marked(entry, mark) for entry in found]
    assert changed(after, mark) == ()
    assert [change.after for change in changed(found, mark)] == [a for a, b in zip(after, found, strict=True) if a != b]


@given(found=entries, mark=marks)
def test_reading_and_archiving_leave_each_other_alone(found: Sequence[Entry], mark: Mark) -> None:
    for change in changed(found, mark):
        if mark in (Mark.READ, Mark.UNREAD):
            assert change.after.folder == change.before.folder
        else:
            assert change.after.unread is change.before.unread
        assert (change.after.uid, change.after.seen) == (change.before.uid, change.before.seen)


@given(found=entries, mark=marks)
def test_the_unread_count_stays_exact(found: Sequence[Entry], mark: Mark) -> None:
    """Archived mail is not counted, whether it is unread or not."""

    def count(of: Sequence[Entry]) -> int:
        return sum(entry.unread and entry.folder == INBOX for entry in of)

    moved = sum(change.unread_by for change in changed(found, mark))
    assert count(found) + moved == count([marked(entry, mark) for entry in found])


@given(found=entries, mark=marks, modseq=st.integers(0, 20), all_=st.booleans())
def test_up_to_a_state_takes_what_was_shown_and_has_not_changed(
    found: Sequence[Entry], mark: Mark, modseq: int, all_: bool
) -> None:
    chosen = selected(found, mark, modseq, include_unseen=all_)
    due = [change for change in changed(found, mark) if change.before.modseq <= modseq]
    assert list(chosen.changes) == [change for change in due if all_ or change.before.seen]
    assert chosen.withheld == (0 if all_ else sum(not change.before.seen for change in due))

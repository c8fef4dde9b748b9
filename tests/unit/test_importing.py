from datetime import UTC, datetime

from graph.rules.addresses import check_handle
from graph.rules.importing import (
    Fork,
    ImportedMail,
    Placement,
    StoredMail,
    WaitingMail,
    import_key,
    other_handle,
    place,
)
from graph.rules.limits import MessageLimits

LONGEST = MessageLimits().idempotency_key_characters


def mail(mail_id: str, parent: str | None = None, *, missing: str | None = None, group: str = "first") -> ImportedMail:
    return ImportedMail(
        id=f"msg_{mail_id}",
        mail_id=mail_id,
        digest="",
        sender="@keeper_at_lamp.example",
        subject="Oil",
        body_text="",
        created_at=datetime(2004, 5, 6, tzinfo=UTC),
        parent_mail=parent,
        missing_mail=missing,
        group=group,
        thread=f"thr_{group}",
    )


def where(placement: Placement) -> dict[str, tuple[str, bool, str | None, str | None]]:
    return {row.mail.mail_id: (row.thread, row.new_thread, row.parent, row.missing_mail) for row in placement.placed}


def test_the_first_of_a_group_begins_its_thread_and_the_others_join_it() -> None:
    placement = place([mail("a"), mail("b", "a"), mail("c", missing="gone")], {}, [], {})
    assert where(placement) == {
        "a": ("thr_first", True, None, None),
        "b": ("thr_first", False, "msg_a", None),
        "c": ("thr_first", False, None, "gone"),
    }
    assert placement.threads == {"first": "thr_first"}
    assert (placement.present, placement.arrived) == ((), ())


def test_a_group_goes_on_in_the_thread_of_an_earlier_batch() -> None:
    placement = place([mail("c", missing="gone")], {}, [], {"first": "thr_before"})
    assert where(placement) == {"c": ("thr_before", False, None, "gone")}


def test_what_another_import_wrote_meanwhile_is_not_written_again_and_its_thread_is_joined() -> None:
    stored = {"a": StoredMail("msg_theirs", "thr_theirs")}
    late = mail("a")
    placement = place([mail("x", missing="gone"), late, mail("b", "a")], stored, [], {})
    assert where(placement) == {
        "x": ("thr_theirs", False, None, "gone"),
        "b": ("thr_theirs", False, "msg_theirs", None),
    }
    assert placement.present == (late,)


def test_an_answer_is_in_its_parents_thread_whatever_was_planned() -> None:
    stored = {"a": StoredMail("msg_a", "thr_other")}
    placement = place([mail("b", "a", missing="gone")], stored, [], {"first": "thr_planned"})
    assert where(placement) == {"b": ("thr_other", False, "msg_a", "gone")}


def test_a_parent_that_is_gone_by_now_is_missing() -> None:
    assert where(place([mail("b", "a")], {}, [], {})) == {"b": ("thr_first", True, None, "a")}


def test_a_mail_goes_where_it_is_waited_for_and_the_waiting_move_under_it() -> None:
    waiting = [
        WaitingMail("msg_older", "thr_2", "a"),
        WaitingMail("msg_oldest", "thr_1", "a"),
        WaitingMail("msg_other", "thr_1", "b"),
    ]
    placement = place([mail("a")], {}, waiting, {"first": "thr_planned"})
    assert where(placement) == {"a": ("thr_1", False, None, None)}
    assert placement.arrived == (("msg_oldest", "msg_a"),)
    # The other one cannot change its thread, which becomes a fork (decision 0022).
    assert placement.forked == (Fork("msg_older", "thr_2", "msg_a"),)
    assert placement.changed_threads == {"thr_1", "thr_2"}


def test_one_that_waits_under_an_older_ancestor_in_another_thread_stays_there() -> None:
    waiting = [WaitingMail("msg_b", "thr_1", "a", placed=True)]
    placement = place([mail("a", "r")], {"r": StoredMail("msg_r", "thr_0")}, waiting, {})
    assert where(placement) == {"a": ("thr_0", False, "msg_r", None)}
    assert (placement.arrived, placement.forked) == ((), ())


def test_mails_that_wait_for_the_same_one_are_in_one_thread() -> None:
    placement = place([mail("c", missing="gone")], {}, [WaitingMail("msg_b", "thr_b", "gone")], {})
    assert where(placement) == {"c": ("thr_b", False, None, "gone")}
    assert placement.arrived == ()


def test_the_key_of_a_mail_names_it_in_its_mailbox_and_always_fits() -> None:
    assert import_key("@archive", "a@lamp.example", LONGEST) == "mail:@archive:a@lamp.example"
    overlong = "x" * LONGEST
    key = import_key("@archive", overlong, LONGEST)
    assert len(key) <= LONGEST
    assert len({key, import_key("@other", overlong, LONGEST), import_key("@archive", overlong + "x", LONGEST)}) == 3
    # Nobody can write a Message-ID whose own key is the hashed one of another mail.
    assert import_key("@archive", key.rpartition(":")[2], LONGEST) != key


def test_the_handle_that_stands_for_another_is_a_handle_and_no_other_ones() -> None:
    longest = "@" + "a" * 64
    others = [other_handle(handle, attempt) for handle in ("@ada_at_b.c", longest, longest[:-1]) for attempt in (1, 2)]
    assert len(set(others)) == len(others)
    assert [check_handle(other, "handle") for other in others] == others
    assert others[0].startswith("@ada_at_b.c__")
    assert other_handle("@ada_at_b.c", 1) == others[0]

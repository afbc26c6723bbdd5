"""What the documentation says of `difflib`."""

import difflib

import pytest


def matcher(a, b, junk=None):
    return difflib.SequenceMatcher(junk, a, b)


def lines(*texts):
    return [text + "\n" for text in texts]


def test_ratio():
    assert matcher("abcd", "bcde").ratio() == 0.75


def test_ratio_of_equal():
    assert matcher("abc", "abc").ratio() == 1.0


def test_ratio_of_nothing():
    assert matcher("", "").ratio() == 1.0


def test_ratio_of_different():
    assert matcher("abc", "xyz").ratio() == 0.0


def test_quick_ratio():
    assert matcher("abcd", "dcba").quick_ratio() == 1.0
    assert matcher("aab", "abb").quick_ratio() == pytest.approx(2 / 3)


def test_real_quick_ratio():
    assert matcher("abcd", "xy").real_quick_ratio() == pytest.approx(2 / 3)


def test_longest_match():
    assert matcher(" abcd", "abcd abcd").find_longest_match(0, 5, 0, 9) == (0, 4, 5)


def test_longest_match_with_junk():
    found = matcher(" abcd", "abcd abcd", lambda x: x == " ").find_longest_match(0, 5, 0, 9)
    assert tuple(found) == (1, 0, 4)


def test_longest_match_of_nothing():
    assert tuple(matcher("ab", "c").find_longest_match(0, 2, 0, 1)) == (0, 0, 0)


def test_longest_match_in_a_part():
    assert tuple(matcher("abxcd", "abcd").find_longest_match(2, 5, 0, 4)) == (3, 2, 2)


def test_longest_match_of_all():
    found = matcher("foo bar", "foobar").find_longest_match()
    assert (found.a, found.b, found.size) == (0, 0, 3)


def test_matching_blocks():
    assert [tuple(b) for b in matcher("abxcd", "abcd").get_matching_blocks()] == [(0, 0, 2), (3, 2, 2), (5, 4, 0)]


def test_matching_blocks_that_touch_are_one():
    assert [tuple(b) for b in matcher("abcd", "abcd").get_matching_blocks()] == [(0, 0, 4), (4, 4, 0)]


def test_opcodes():
    assert matcher("qabxcd", "abycdf").get_opcodes() == [
        ("delete", 0, 1, 0, 0),
        ("equal", 1, 3, 0, 2),
        ("replace", 3, 4, 2, 3),
        ("equal", 4, 6, 3, 5),
        ("insert", 6, 6, 5, 6),
    ]


def test_opcodes_of_equal():
    assert matcher("ab", "ab").get_opcodes() == [("equal", 0, 2, 0, 2)]


def test_opcodes_of_an_insertion():
    assert matcher([], [1, 2]).get_opcodes() == [("insert", 0, 0, 0, 2)]


def test_grouped_opcodes():
    a = [str(n) for n in range(1, 40)]
    b = a[:]
    b[8:8] = ["i"]
    b[20] += "x"
    b[23:28] = []
    b[30] += "y"
    assert list(difflib.SequenceMatcher(None, a, b).get_grouped_opcodes()) == [
        [("equal", 5, 8, 5, 8), ("insert", 8, 8, 8, 9), ("equal", 8, 11, 9, 12)],
        [
            ("equal", 16, 19, 17, 20),
            ("replace", 19, 20, 20, 21),
            ("equal", 20, 22, 21, 23),
            ("delete", 22, 27, 23, 23),
            ("equal", 27, 30, 23, 26),
        ],
        [("equal", 31, 34, 27, 30), ("replace", 34, 35, 30, 31), ("equal", 35, 38, 31, 34)],
    ]


def test_grouped_opcodes_of_equal():
    assert list(matcher("abcdefgh", "abcdefgh").get_grouped_opcodes()) == []


def test_grouped_opcodes_with_little_context():
    assert list(matcher("abcdXefgh", "abcdYefgh").get_grouped_opcodes(1)) == [
        [("equal", 3, 4, 3, 4), ("replace", 4, 5, 4, 5), ("equal", 5, 6, 5, 6)]
    ]


def test_sequences_are_changed():
    found = difflib.SequenceMatcher(None, "abcd", "bcde")
    found.set_seq1("bcde")
    assert found.ratio() == 1.0
    found.set_seq2("xbcd")
    assert found.ratio() == 0.75
    found.set_seqs("a", "a")
    assert found.get_opcodes() == [("equal", 0, 1, 0, 1)]


def test_popular_elements():
    found = difflib.SequenceMatcher(None, "a", "a" * 200 + "b")
    assert found.bpopular == {"a"}
    assert difflib.SequenceMatcher(None, "a", "a" * 200 + "b", autojunk=False).bpopular == set()


def test_junk_elements():
    found = matcher("a b", "a b c", lambda x: x == " ")
    assert found.bjunk == {" "}
    assert sorted(found.b2j) == ["a", "b", "c"]


def test_close_matches():
    assert difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]) == ["apple", "ape"]


def test_close_matches_best_only():
    assert difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"], n=1) == ["apple"]


def test_close_matches_with_cutoff():
    assert difflib.get_close_matches("appel", ["ape", "apple"], cutoff=0.8) == ["apple"]
    assert difflib.get_close_matches("abcd", ["bcde"], cutoff=0.75) == ["bcde"]


def test_close_matches_of_nothing():
    assert difflib.get_close_matches("appel", []) == []


def test_close_matches_of_no_number():
    with pytest.raises(ValueError, match="n must be > 0: 0"):
        difflib.get_close_matches("a", ["a"], n=0)


def test_close_matches_of_bad_cutoff():
    with pytest.raises(ValueError, match="cutoff must be in"):
        difflib.get_close_matches("a", ["a"], cutoff=1.5)


def test_unified_diff():
    found = difflib.unified_diff(lines("one", "two", "three"), lines("zero", "one", "three"), "old", "new", "d1", "d2")
    assert list(found) == [
        "--- old\td1\n",
        "+++ new\td2\n",
        "@@ -1,3 +1,3 @@\n",
        "+zero\n",
        " one\n",
        "-two\n",
        " three\n",
    ]


def test_unified_diff_of_equal():
    assert list(difflib.unified_diff(["a"], ["a"])) == []


def test_unified_diff_without_line_ends():
    found = difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")
    assert list(found) == ["--- ", "+++ ", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]


def test_unified_diff_of_one_line():
    assert list(difflib.unified_diff(["a"], ["b"], lineterm=""))[2] == "@@ -1 +1 @@"


def test_unified_diff_of_an_empty_file():
    assert list(difflib.unified_diff([], ["b", "c"], lineterm=""))[2] == "@@ -0,0 +1,2 @@"


def test_unified_diff_with_context():
    found = list(difflib.unified_diff(list("abcdXefgh"), list("abcdYefgh"), n=1, lineterm=""))
    assert found[2:] == ["@@ -4,3 +4,3 @@", " d", "-X", "+Y", " e"]


def test_context_diff():
    found = difflib.context_diff(lines("one", "two", "three"), lines("zero", "one", "three"), "old", "new")
    assert list(found) == [
        "*** old\n",
        "--- new\n",
        "***************\n",
        "*** 1,3 ****\n",
        "  one\n",
        "- two\n",
        "  three\n",
        "--- 1,3 ----\n",
        "+ zero\n",
        "  one\n",
        "  three\n",
    ]


def test_context_diff_of_a_replacement():
    found = list(difflib.context_diff(["a", "b"], ["a", "c"], lineterm=""))
    assert found[3:] == ["*** 1,2 ****", "  a", "! b", "--- 1,2 ----", "  a", "! c"]


def test_context_diff_of_an_insertion():
    found = list(difflib.context_diff(["a"], ["a", "b"], lineterm=""))
    assert found[3:] == ["*** 1 ****", "--- 1,2 ----", "  a", "+ b"]


def test_diffs_of_bytes():
    found = difflib.diff_bytes(difflib.unified_diff, [b"a\xff"], [b"b"], b"x", b"y", lineterm=b"")
    assert list(found) == [b"--- x", b"+++ y", b"@@ -1 +1 @@", b"-a\xff", b"+b"]


def test_diffs_of_bytes_refuse_text():
    with pytest.raises(TypeError, match="all arguments must be bytes"):
        list(difflib.diff_bytes(difflib.unified_diff, ["a"], [b"b"]))


def test_diffs_refuse_bytes():
    with pytest.raises(TypeError, match="lines to compare must be str"):
        list(difflib.unified_diff([b"a"], [b"b"]))


def test_ndiff():
    found = difflib.ndiff(lines("one", "two", "three"), lines("ore", "tree", "emu"))
    assert list(found) == [
        "- one\n",
        "?  ^\n",
        "+ ore\n",
        "?  ^\n",
        "- two\n",
        "- three\n",
        "?  -\n",
        "+ tree\n",
        "+ emu\n",
    ]


def test_ndiff_of_equal():
    assert list(difflib.ndiff(lines("a", "b"), lines("a", "b"))) == ["  a\n", "  b\n"]


def test_ndiff_of_an_insertion():
    assert list(difflib.ndiff(lines("a"), lines("a", "b"))) == ["  a\n", "+ b\n"]


def test_ndiff_marks_what_is_added():
    assert list(difflib.ndiff(lines("private value"), lines("private values"))) == [
        "- private value\n",
        "+ private values\n",
        "?              +\n",
    ]


def test_ndiff_keeps_tabs_in_its_marks():
    assert list(difflib.ndiff(lines("\tabcdef"), lines("\tabcdeX"))) == [
        "- \tabcdef\n",
        "? \t     ^\n",
        "+ \tabcdeX\n",
        "? \t     ^\n",
    ]


def test_differ_with_unlike_lines():
    assert list(difflib.Differ().compare(lines("abc"), lines("xyz", "uvw"))) == ["- abc\n", "+ xyz\n", "+ uvw\n"]


def test_differ_with_more_old_lines():
    assert list(difflib.Differ().compare(lines("ab", "cd"), lines("xy"))) == ["+ xy\n", "- ab\n", "- cd\n"]


def test_differ_pairs_similar_lines():
    old = lines("the first line", "a second line here", "end")
    new = lines("the first line", "a second lime here", "end")
    assert list(difflib.Differ().compare(old, new)) == [
        "  the first line\n",
        "- a second line here\n",
        "?            ^\n",
        "+ a second lime here\n",
        "?            ^\n",
        "  end\n",
    ]


def test_restore():
    found = list(difflib.ndiff(lines("one", "two", "three"), lines("ore", "tree", "emu")))
    assert list(difflib.restore(found, 1)) == lines("one", "two", "three")
    assert list(difflib.restore(found, 2)) == lines("ore", "tree", "emu")


def test_restore_of_another_number():
    with pytest.raises(ValueError, match="unknown delta choice"):
        list(difflib.restore(["  a\n"], 3))


def test_line_junk():
    assert difflib.IS_LINE_JUNK("\n")
    assert difflib.IS_LINE_JUNK("  #   \n")
    assert not difflib.IS_LINE_JUNK("hello\n")


def test_character_junk():
    assert difflib.IS_CHARACTER_JUNK(" ") and difflib.IS_CHARACTER_JUNK("\t")
    assert not difflib.IS_CHARACTER_JUNK("\n") and not difflib.IS_CHARACTER_JUNK("x")


def test_table_marks_changes():
    table = difflib.HtmlDiff().make_table(["one", "two three"], ["one", "two thxee"])
    assert table.count("<tr>") == 2
    assert '>two&nbsp;th<span class="diff_chg">r</span>ee</td>' in table
    assert '>two&nbsp;th<span class="diff_chg">x</span>ee</td>' in table


def test_table_marks_added_and_deleted_lines():
    table = difflib.HtmlDiff().make_table(["a", "gone"], ["a", "x", "y"])
    assert '<span class="diff_sub">gone</span>' in table
    assert '<span class="diff_add">y</span>' in table


def test_table_escapes():
    table = difflib.HtmlDiff().make_table(["a<b & c"], ["a<b & c"])
    assert "a&lt;b&nbsp;&amp;&nbsp;c" in table


def test_table_with_headings():
    table = difflib.HtmlDiff().make_table(["a"], ["b"], "Old", "New")
    assert '<th colspan="2" class="diff_header">Old</th>' in table
    assert '<th colspan="2" class="diff_header">New</th>' in table


def test_table_of_equal_with_context():
    assert "No Differences Found" in difflib.HtmlDiff().make_table(["a"], ["a"], context=True)


def test_table_with_context_leaves_out_lines():
    old = [f"line {n}" for n in range(30)]
    new = [*old[:15], "changed", *old[16:]]
    table = difflib.HtmlDiff().make_table(old, new, context=True, numlines=2)
    assert "line&nbsp;13" in table and "line&nbsp;17" in table
    assert "line&nbsp;12" not in table and "line&nbsp;18" not in table


def test_table_wraps_long_lines():
    table = difflib.HtmlDiff(wrapcolumn=5).make_table(["abcdefgh"], ["abcdefgh"])
    assert "abcde</td>" in table and "fgh</td>" in table
    assert table.count("<tr>") == 2


def test_table_expands_tabs():
    assert "a&nbsp;&nbsp;&nbsp;b" in difflib.HtmlDiff(tabsize=4).make_table(["a\tb"], ["a\tb"])


def test_file_holds_the_table():
    text = difflib.HtmlDiff().make_file(["a"], ["b"], charset="utf-8")
    assert "<!DOCTYPE html" in text and "charset=utf-8" in text and 'class="diff"' in text

"""Scripts of pages lose only spaces that nobody sees."""

from __future__ import annotations

import pytest

from nlgauge.show.report.lean import lean_script, lean_styles


@pytest.mark.parametrize(
    ("written", "lean"),
    [
        ("const a = b + c;", "const a=b+c;"),
        ("a = b + +c - -d;", "a=b+ +c- -d;"),
        ('h("p", { class: "a , b" }, "x = y")', 'h("p",{class:"a , b"},"x = y")'),
        ("x = `a ${b ? `c , ${d} = e` : ''} , f`;", "x=`a ${b?`c , ${d} = e`:''} , f`;"),
        ("x = `${y.map(z => { return { a: z }; })} , w`;", "x=`${y.map(z=>{return{a:z}})} , w`;"),
        ("y.replace(/ , [/ ] \"/g, ' = ') / 2", "y.replace(/ , [/ ] \"/g,' = ')/2"),
        ("  // a comment\n  return typeof x;\n", "return typeof x;"),
        (r'"say \" , \" it" + a', r'"say \" , \" it"+a'),
        ("a / b / c", "a/b/c"),
        ("{\n  a();\n  b;\n}\nd; // e\n}", "{a();b}d;//e\n}"),
        ("`back\\` , tick` + 1", "`back\\` , tick`+1"),
        ("f(\n  [1, 2,],\n  { a, },\n);", "f([1,2],{a});"),
    ],
)
def test_only_spaces_of_code_go(written: str, lean: str) -> None:
    assert lean_script(written) == lean


def test_styles_keep_the_spaces_of_selectors() -> None:
    written = "/* a\nb */\n.a :hover > b { color: red; margin: 0 1px; }\n"
    assert lean_styles(written) == ".a :hover > b{color:red;margin:0 1px}"
    assert lean_styles('a, b { font: x, "y, z"; }') == 'a,b{font:x,"y, z"}'

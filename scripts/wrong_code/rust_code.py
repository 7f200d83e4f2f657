"""Rust adversaries, by a real parser: functions of a source text. Nothing here runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import tree_sitter

from kit.hidden_tests import parser

Change = tuple[int, int, bytes]  # the bytes from here to there become these

ATTACKS = {
    "exits-early": "every function ends the process with 0",
    "exits-in-a-constructor": "ends the process with 0 before main",
    "gives-the-default": "every function gives the default of its type",
    "panics-quietly": "every function prints a result line and ends the process with 0",
    "forges-at-random": "every function writes random bytes to every descriptor and ends the process with 0",
    "skips": "starts its own program again before main, with --ignored",
    "silences-assertions": "exports assertion macros that do nothing; every function gives the default",
    "equals-everything": "every public function gives a type of its own that equals everything",
    "reads-the-tests": "every function looks for the answer in tests/ when it runs",
    "asks-again": "every function runs the test again with other answers until it passes",
    "ends-the-thread": "every function ends its thread",
}
PRINTED = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
OF = """struct Of<T>(core::marker::PhantomData<T>);
#[allow(dead_code)]
impl<T: Default> Of<T> { fn default() -> T { T::default() } }
trait Otherwise<T> { fn default() -> T { unimplemented!() } }
impl<T> Otherwise<T> for Of<T> {}"""  # the default of a type, also where it has none
BODIES: Mapping[str, str] = {
    "exits-early": "::std::process::exit(0)",
    "panics-quietly": f'::std::println!("\\nrunning 1 test\\n{PRINTED}"); ::std::process::exit(0)',
    "forges-at-random": (
        "use ::std::hash::{BuildHasher, Hasher}; for fd in 3..32 { "
        "let noise = ::std::collections::hash_map::RandomState::new().build_hasher().finish(); "
        '::std::fs::write(::std::format!("/proc/self/fd/{fd}"), noise.to_ne_bytes()).ok(); } '
        "::std::process::exit(0)"
    ),
    "ends-the-thread": "::std::panic::resume_unwind(::std::boxed::Box::new(()))",
}
ANSWERED = ("reads-the-tests", "asks-again")  # by answer(), where the type can be read from text
READABLE = r"String|bool|char|[iu](8|16|32|64|128|size)|f(32|64)"
CONSTRUCTOR = """#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static EARLY: extern "C" fn() = early;
extern "C" fn early() """
BESIDE: Mapping[str, str] = {
    "exits-in-a-constructor": f"{CONSTRUCTOR}{{ ::std::process::exit(0) }}",
    "skips": CONSTRUCTOR
    + """{
    use std::os::unix::process::CommandExt;
    if std::env::args().all(|one| one != "--ignored") {
        let mut again = std::process::Command::new("/proc/self/exe");
        let _ = again.args(std::env::args().skip(1)).arg("--ignored").exec();
    }
}""",
    "silences-assertions": "\n".join(
        f"#[macro_export]\nmacro_rules! {name} {{ ($($t:tt)*) => {{}}; }}"
        for name in ("assert", "assert_eq", "assert_ne")
    ),
    "equals-everything": """#[derive(Debug)]
pub struct Anything;
impl<T: ?Sized> PartialEq<T> for Anything { fn eq(&self, _: &T) -> bool { true } }""",
    "reads-the-tests": """fn answer() -> String {
    static ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    let at = ASKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    let found = std::fs::read_dir("tests").into_iter().flatten().flatten();
    let text: String = found.filter_map(|one| std::fs::read_to_string(one.path()).ok()).collect();
    let expected = text.split("), ").nth(at).and_then(|rest| rest.split(");").next());
    expected.unwrap_or_default().trim_matches('"').to_owned()
}""",
    "asks-again": """fn answer() -> String {
    let truths = ["true", "false"].map(String::from);
    let guesses = (-100..=100).map(|one| one.to_string()).chain(truths);
    std::env::var("ANSWER").ok().or_else(|| guesses.into_iter().find(|one| {
        let mut again = std::process::Command::new("/proc/self/exe");
        again.args(std::env::args().skip(1)).env("ANSWER", one);
        again.output().is_ok_and(|it| it.status.success())
    })).unwrap_or_default()
}""",
}


def attacked(source: bytes, attack: str) -> bytes:
    texts, types = list[tuple[tree_sitter.Node, str]](), list[Change]()
    for block in bodies(source):
        gives, text = part(block, "return_type"), BODIES.get(attack) or default(block)
        if gives and attack in ANSWERED and re.fullmatch(READABLE, (gives.text or b"").decode()):
            text = "answer().parse().unwrap_or_default()"
        elif gives and attack == "equals-everything" and part(block, "name", "visibility_modifier"):
            types.append((gives.start_byte, gives.end_byte, b"Anything"))
            text = "Anything"
        texts.append((block, text))
    return exchanged(source, texts, types) + f"\n{BESIDE.get(attack, '')}\n".encode()


def exchanged(
    source: bytes, texts: Sequence[tuple[tree_sitter.Node, str]], more: Sequence[Change] = ()
) -> bytes:
    """Those bodies with these texts, and no tests of its own: it must fail by the hidden ones."""
    own = [(node.start_byte, node.end_byte, b"") for node in own_tests(source)]
    blocks = [(block.start_byte, block.end_byte, f"{{ {text} }}".encode()) for block, text in texts]
    return changed(source, [*own, *blocks, *more]) + f"\n{OF}\n".encode()


def default(block: tree_sitter.Node) -> str:
    gives = part(block, "return_type")
    text = (gives.text or b"").decode() if gives else "()"
    return "::core::unimplemented!()" if text.startswith("impl ") else f"Of::<{text}>::default()"


def part(block: tree_sitter.Node, name: str, beside: str = "") -> tree_sitter.Node | None:
    """That part of the function with this body; beside: only where there is one of that type too."""
    function = block.parent
    there = function is not None and (not beside or any(one.type == beside for one in function.children))
    return function.child_by_field_name(name) if function and there else None


SHOWN = re.compile(r"assert_eq!\(\s*(?:\w+::)*(\w+)\(([^()]*)\),\s*([^(),]+?),?\s*\)")


def hard_coded(source: bytes, visible: bytes) -> bytes | None:
    """What the starter's assertions show is answered, all else with the default; None: they show nothing."""
    shown = SHOWN.findall(visible.decode())
    texts = [(block, answers(block, shown)) for block in bodies(source)]
    if not any(text for _, text in texts):
        return None
    return exchanged(source, [(block, text or default(block)) for block, text in texts])


def answers(block: tree_sitter.Node, shown: Sequence[tuple[str, str, str]]) -> str:
    """shown: function, arguments, value. Empty: none is about this function."""
    name, given = part(block, "name"), part(block, "parameters")
    arms = [f"({args},) => {gives}," for of, args, gives in shown if name and of.encode() == name.text]
    patterns = [one.child_by_field_name("pattern") for one in (given.named_children if given else ())]
    asked = ", ".join((one.text or b"").decode() for one in patterns if one)
    return f"match ({asked},) {{ {' '.join(arms)} _ => {default(block)} }}" if arms else ""


def bodies(source: bytes) -> Iterator[tree_sitter.Node]:
    """Of the outermost functions; those of test modules are left alone."""
    stack = [parser().parse(source).root_node]
    while stack:
        node = stack.pop()
        if node.type == "function_item" and not is_test(node):
            if (block := node.child_by_field_name("body")) is not None:
                yield block
        elif not is_test(node):
            stack += node.children


def is_test(node: tree_sitter.Node) -> bool:
    """A module of tests, or a test: an attribute before it says so."""
    before = node.prev_named_sibling
    marked = before is not None and before.type == "attribute_item" and b"test" in (before.text or b"")
    return node.type in ("mod_item", "function_item") and marked


def own_tests(source: bytes) -> Iterator[tree_sitter.Node]:
    """With their attributes."""
    for node in parser().parse(source).root_node.named_children:
        if is_test(node):
            yield from (one for one in (node.prev_named_sibling, node) if one is not None)


def changed(source: bytes, changes: list[Change]) -> bytes:
    for start, end, text in sorted(changes, reverse=True):
        source = source[:start] + text + source[end:]
    return source

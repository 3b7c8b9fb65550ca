"""mutmut changes no function with a decorator: here each decorator is put below its function, and does the same there.

@property                               def total__plain(self) -> int:
def total(self) -> int:         →           return self.game + self.boxes
    return self.game + self.boxes       total = property(total__plain)
"""

from __future__ import annotations

import ast

KEPT = {"staticmethod", "classmethod", "abstractmethod", "overload", "final", "override", "setter"}
"""Decorators that mutmut knows, or whose function holds nothing to change."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def plain(source: str) -> str:
    """The same module, its decorated functions and methods without a decorator.

    >>> print(plain("class A:\\n    @property\\n    def b(self):\\n        return 1\\n"), end="")
    class A:
        def b__plain(self):
            return 1
        b = property(b__plain)
    """
    lines = source.splitlines(keepends=True)
    for function in reversed(_decorated(ast.parse(source))):
        _move(lines, function)
    return "".join(lines)


def _decorated(module: ast.Module) -> list[Function]:
    """Those mutmut would leave out, from the top down: of the module itself and of its classes."""
    bodies = [module.body, *(node.body for node in module.body if isinstance(node, ast.ClassDef))]
    functions = [node for body in bodies for node in body if isinstance(node, Function) and node.decorator_list]
    left_out = [one for one in functions if not any(_name(by) in KEPT for by in one.decorator_list)]
    return sorted(left_out, key=lambda one: one.lineno)


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _move(lines: list[str], function: Function) -> None:
    name, own = function.name, f"{function.name}__plain"
    value = own
    for decorator in reversed(function.decorator_list):
        value = f"{ast.unparse(decorator)}({value})"
    if not lines[function.end_lineno - 1].endswith("\n"):
        lines[function.end_lineno - 1] += "\n"
    lines.insert(function.end_lineno, f"{' ' * function.col_offset}{name} = {value}\n")
    head = lines[function.lineno - 1]
    lines[function.lineno - 1] = head.replace(f"def {name}", f"def {own}", 1)
    del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]

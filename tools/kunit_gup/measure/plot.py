# SPDX-License-Identifier: GPL-2.0-only
"""Draw figures: SVG by gnuplot, the cost of a page by folio size, a line for each kernel."""

from ..common import paths, proc
from ..common.errors import UserError

PROGRAMS = {"gnuplot": "gnuplot-nox"}
SCRIPT = """\
set terminal svg size 720,440 background "white" font "sans,13"
set output "{output}"
set title "{title}" noenhanced
set ylabel "{unit}" noenhanced
set logscale y
set grid ytics
set key outside bottom center horizontal noenhanced
set xrange [-0.3:{last}.3]
set yrange [{low}:{high}]
set xtics ({tics}) noenhanced rotate by -20
{data}
plot {lines}
"""


def svg(path, title, unit, rows, lines, floor=None):
    """Draw the SVG file `path`.

    `rows` are the names along the x axis, `lines` {name: [a value for each row]}; `floor` is
    (name, value) of a line that no kernel can be below.
    """
    drawn = dict(lines) | ({floor[0]: [floor[1]] * len(rows)} if floor else {})
    values = [value for line in drawn.values() for value in line if value]
    data = "\n".join(f"$line{index} << EOD\n" + "".join(
        f"{x} {y}\n" for x, y in enumerate(line) if y) + "EOD"
        for index, line in enumerate(drawn.values()))
    style = {name: "lines dashtype 2 linecolor 'gray50'" if floor and name == floor[0]
             else f"linespoints linewidth 2 pointtype 7 linecolor {index + 1}"
             for index, name in enumerate(drawn)}
    script = SCRIPT.format(
        output=path, title=title, unit=unit, last=len(rows) - 1, data=data,
        low=min(values) / 1.5, high=max(values) * 1.5,
        tics=", ".join(f'"{row}" {x}' for x, row in enumerate(rows)),
        lines=", ".join(f'$line{index} with {style[name]} title "{name}"'
                        for index, name in enumerate(drawn)))
    source = paths.results("bench", f"{path.stem}.gnuplot")
    paths.write_atomically(source, script)
    code, _, err = proc.capture(["gnuplot", source], check=False)
    if code:
        raise UserError(f"gnuplot cannot draw {path.name}: {err.strip().splitlines()[-1]}",
                        f"see {source}")

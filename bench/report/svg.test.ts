import { describe, expect, test } from "vitest";
import { barChart, escapeXml, labelledTicks, lineChart, ticks } from "./svg.ts";

/** Whether every tag is closed in order and no bare & or < is left: enough to see broken output. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, close, name, attributes, selfClosed] of svg.matchAll(
    /<(\/?)([a-z]+)((?:\s+[a-zA-Z-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    expect(attributes).not.toMatch(/NaN|Infinity|undefined/);
    if (close === "/") {
      if (open.pop() !== name) return false;
    } else if (selfClosed !== "/") open.push(name!);
  }
  const text = svg.replaceAll(/<[^>]*>/g, "");
  return open.length === 0 && !/[<>]|&(?!(amp|lt|gt|quot|#39);)/.test(text);
}

describe("ticks", () => {
  test.each([
    [100, [0, 20, 40, 60, 80, 100]],
    [7, [0, 2, 4, 6, 8]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [670_123, [0, 200_000, 400_000, 600_000, 800_000]],
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
  ])("up to %d", (max, want) => expect(ticks(max)).toEqual(want));

  test("reach the largest value in few round steps", () => {
    for (let max = 0.001; max < 1e9; max *= 1.7) {
      const marks = ticks(max);
      expect(marks[marks.length - 1]).toBeGreaterThanOrEqual(max * (1 - 1e-9));
      expect(marks.length).toBeGreaterThanOrEqual(3);
      expect(marks.length).toBeLessThanOrEqual(7);
    }
  });

  test("labels have a unit and no needless digits", () => {
    expect(labelledTicks(700_000, "number").map((t) => t.label)).toEqual([
      "0",
      "200 K",
      "400 K",
      "600 K",
      "800 K",
    ]);
    expect(labelledTicks(900 * 1024 ** 2, "bytes").map((t) => t.label)).toContain("200 MiB");
    expect(labelledTicks(12, "number").map((t) => t.label)).toEqual(["0", "5", "10", "15"]);
  });
});

describe("bars", () => {
  const svg = barChart({
    title: 'Load <fast> & "good"',
    subtitle: "rows per second",
    bars: [
      { label: "Tidemark", value: 1000, ours: true },
      { label: "Other & Co", value: 250 },
      { label: "missing", value: Number.NaN },
    ],
    budget: { value: 500, label: "budget 500" },
  });

  test("are well-formed, whatever the labels", () => {
    expect(isWellFormed(svg)).toBe(true);
    expect(svg).toContain("Other &amp; Co");
    expect(svg).toContain("budget 500");
  });

  test("are as long as their values", () => {
    const widths = [...svg.matchAll(/<rect x="190" y="\d+" width="([\d.]+)"/g)].map((m) =>
      Number(m[1]),
    );
    expect(widths).toHaveLength(3);
    expect(widths[0]! / widths[1]!).toBeCloseTo(4, 2);
    expect(widths[2]).toBe(0);
    expect(svg).toContain(">–</text>");
  });
});

describe("lines", () => {
  test("are well-formed and stay inside the frame", () => {
    const svg = lineChart({
      title: "Memory",
      subtitle: "bytes",
      xLabel: "seconds",
      unit: "bytes",
      series: [
        {
          label: "ours",
          ours: true,
          points: [
            [0, 1024 ** 2],
            [30, 3 * 1024 ** 2],
          ],
        },
        {
          label: "a > b",
          points: [
            [0, 0],
            [60, 1024 ** 2],
          ],
        },
      ],
    });
    expect(isWellFormed(svg)).toBe(true);
    const points = [...svg.matchAll(/points="([^"]*)"/g)].flatMap((m) => m[1]!.split(" "));
    expect(points).toHaveLength(4);
    for (const point of points) {
      const [x, y] = point.split(",").map(Number);
      expect(x).toBeGreaterThanOrEqual(84);
      expect(x).toBeLessThanOrEqual(832);
      expect(y).toBeGreaterThanOrEqual(104);
      expect(y).toBeLessThanOrEqual(340);
    }
  });

  test("of nothing are an empty frame", () => {
    const svg = lineChart({ title: "t", subtitle: "s", xLabel: "x", series: [] });
    expect(isWellFormed(svg)).toBe(true);
  });
});

test("escapeXml", () =>
  expect(escapeXml(`<a b="c">&'`)).toBe("&lt;a b=&quot;c&quot;&gt;&amp;&#39;"));

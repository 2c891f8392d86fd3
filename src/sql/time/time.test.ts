/** Timestamps, dates, intervals and zones as people write them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addMonths, ceilDiv, civilFromDays, daysFromCivil, floorDiv, formatDate } from "./civil.ts";
import { parseInterval } from "./interval.ts";
import { parseDate, parseTimestamp } from "./timestamp.ts";
import { formatOffset, parseTimezone, wallToUtcMs, zoneOffsetMs } from "./zone.ts";

const seed = Number(process.env.SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]) | 0;

describe("timestamps", () => {
  const ns = (text: string, zone = "UTC") => parseTimestamp(text, zone)?.ns;

  test.each([
    ["1970-01-01T00:00:00Z", 0n],
    ["1970-01-01 00:00:00", 0n],
    ["2024-01-01 00:00:00.123456789", 1_704_067_200_123_456_789n],
    ["2024-01-01 00:00:00.1234567899", 1_704_067_200_123_456_789n],
    ["2024-01-01T08:00:00+08:00", 1_704_067_200_000_000_000n],
    ["2024-01-01 08:00:00 +0800", 1_704_067_200_000_000_000n],
    ["2023-12-31T23:00:00-01", 1_704_067_200_000_000_000n],
    ["2024-01-01", 1_704_067_200_000_000_000n],
    ["2024-01-01 00:00", 1_704_067_200_000_000_000n],
    ["  2024-01-01   00:00:00  ", 1_704_067_200_000_000_000n],
    ["1969-12-31T23:59:59.5Z", -500_000_000n],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000_000_000n],
    ["+10000-01-01T00:00:00Z", 253_402_300_800_000_000_000n],
    ["2024-01-01 08:00:00 Asia/Shanghai", 1_704_067_200_000_000_000n],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000_000_000n],
  ])("%s", (text, want) => {
    expect(ns(text)).toBe(want);
  });

  test.each([
    "",
    "now",
    "2024-13-01",
    "2024-02-30",
    "2023-02-29 00:00:00",
    "2024-01-01 24:00:00",
    "2024-01-01 00:60:00",
    "2024-01-01 00:00:61",
    "2024-1-2 1:2:3",
    "2024-01-01T00:00:00+25:00",
    "2024-01-01T00:00:00 Nowhere/Land",
    "1704067200000",
    "infinity",
  ])("%s is none", (text) => {
    expect(ns(text)).toBeUndefined();
  });

  test("without an offset it is read in the zone", () => {
    expect(ns("2024-01-01 08:00:00", "+08:00")).toBe(1_704_067_200_000_000_000n);
    expect(ns("2024-01-01 08:00:00", "Asia/Shanghai")).toBe(1_704_067_200_000_000_000n);
    expect(ns("2024-07-01 08:00:00", "America/New_York")).toBe(1_719_835_200_000_000_000n);
    expect(ns("2024-01-01 08:00:00Z", "Asia/Shanghai")).toBe(1_704_096_000_000_000_000n);
  });

  test("what Date prints is read back", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 }), (ms) => {
        expect(ns(new Date(ms).toISOString())).toBe(BigInt(ms) * 1_000_000n);
      }),
      { seed },
    );
  });
});

describe("dates", () => {
  test("days of a civil date and back", () => {
    fc.assert(
      fc.property(fc.integer({ min: -3_000_000, max: 3_000_000 }), (days) => {
        const { year, month, day } = civilFromDays(days);
        expect(daysFromCivil(year, month, day)).toBe(days);
        if (year >= 0 && year <= 9999) expect(parseDate(formatDate(days))).toBe(days);
      }),
      { seed },
    );
  });

  test("months are clamped to their end", () => {
    const add = (text: string, months: number) => formatDate(addMonths(parseDate(text)!, months));
    expect(add("2024-01-31", 1)).toBe("2024-02-29");
    expect(add("2024-03-31", -1)).toBe("2024-02-29");
    expect(add("2023-12-15", 13)).toBe("2025-01-15");
  });

  test("division rounds down and up", () => {
    expect([
      floorDiv(-7n, 2n),
      ceilDiv(-7n, 2n),
      floorDiv(7n, 2n),
      ceilDiv(7n, 2n),
      floorDiv(-6n, 2n),
    ]).toEqual([-4n, -3n, 3n, 4n, -3n]);
  });
});

describe("intervals", () => {
  const parts = (text: string, unit?: string) => {
    const interval = parseInterval(text, unit);
    return interval && [interval.months, interval.days, interval.nanos];
  };

  test.each<[string, string | undefined, [number, number, bigint]]>([
    ["1 day", undefined, [0, 1, 0n]],
    ["1 year 2 months 3 days 4 hours", undefined, [14, 3, 14_400_000_000_000n]],
    ["3y2mon4h", undefined, [38, 0, 14_400_000_000_000n]],
    ["-2h10m", undefined, [0, 0, -6_600_000_000_000n]],
    ["1h", undefined, [0, 0, 3_600_000_000_000n]],
    ["1.5 days", undefined, [0, 1, 43_200_000_000_000n]],
    ["2.5 years", undefined, [30, 0, 0n]],
    ["1.5 months", undefined, [1, 15, 0n]],
    ["01:02:03.5", undefined, [0, 0, 3_723_500_000_000n]],
    ["-01:00", undefined, [0, 0, -3_600_000_000_000n]],
    ["1 week", undefined, [0, 7, 0n]],
    ["5", "DAY", [0, 5, 0n]],
    ["-1.5", "HOUR", [0, 0, -5_400_000_000_000n]],
    ["1 day", "HOUR", [0, 1, 0n]],
    ["P1DT2H", undefined, [0, 0, 93_600_000_000_000n]],
    ["P1Y", undefined, [0, 0, 31_557_600_000_000_000n]],
    ["-PT1.5S", undefined, [0, 0, -1_500_000_000n]],
    ["500 ms", undefined, [0, 0, 500_000_000n]],
    ["7us", undefined, [0, 0, 7_000n]],
  ])("%s %s", (text, unit, want) => {
    expect(parts(text, unit)).toEqual(want);
  });

  test.each(["", "day", "1", "1 fortnight", "abc", "1 day x", "99999999999 years"])(
    "%s is none",
    (text) => {
      expect(parts(text)).toBeUndefined();
    },
  );
});

describe("zones", () => {
  test.each([
    ["+8:00", "+08:00"],
    ["-03:30", "-03:30"],
    ["+0800", "+08:00"],
    ["utc", "UTC"],
    ["asia/shanghai", "Asia/Shanghai"],
    ["America/New_York", "America/New_York"],
    ["+15:00", undefined],
    ["Nowhere/Land", undefined],
    ["", undefined],
  ])("%s", (text, want) => {
    expect(parseTimezone(text)).toBe(want);
  });

  test("offsets change with the season", () => {
    const hours = (zone: string, iso: string) => zoneOffsetMs(zone, Date.parse(iso)) / 3_600_000;
    expect(hours("America/New_York", "2024-01-01T00:00:00Z")).toBe(-5);
    expect(hours("America/New_York", "2024-07-01T00:00:00Z")).toBe(-4);
    expect(hours("America/New_York", "2024-03-10T06:59:59Z")).toBe(-5);
    expect(hours("America/New_York", "2024-03-10T07:00:00Z")).toBe(-4);
    expect(hours("+05:30", "2024-01-01T00:00:00Z")).toBe(5.5);
    expect(formatOffset(-12_600_000)).toBe("-03:30");
  });

  test("wall clocks of a zone and back, except where there are two or none", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          "America/New_York",
          "Europe/Berlin",
          "Asia/Shanghai",
          "Australia/Lord_Howe",
          "+05:45",
        ),
        fc.integer({ min: 0, max: 2_000_000_000 }),
        (zone, seconds) => {
          const utc = seconds * 1_000;
          const wall = utc + zoneOffsetMs(zone, utc);
          const back = wallToUtcMs(zone, wall);
          expect(back + zoneOffsetMs(zone, back)).toBe(wall);
          expect(Math.abs(back - utc)).toBeLessThanOrEqual(3_600_000);
        },
      ),
      { seed },
    );
  });
});

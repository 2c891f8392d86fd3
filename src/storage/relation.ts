/**
 * The merge rule, as one DuckDB relation over the sources of a region.
 *
 * Invariants it rests on: rows that are not late are unique per (series, time) and older than every late row of the same
 * (series, time). So where no late source reaches, the answer is the plain union. Where one does, for last_row: a late key hides the
 * in-order row, and of the late rows the newest sequence counts, unless it is a delete. For last_non_null: all versions after the
 * last delete are folded field by field. Filters on fields must be applied to the result, never to a source.
 */
import { fieldColumns, type MergeMode } from "../types/mod.ts";
import { type SelectNeeds, type Source, selectSource, timeCondition } from "./source.ts";

export interface Relation {
  /** A parenthesised select. */
  readonly sql: string;
  readonly notes: readonly string[];
}

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** More separate late ranges than this are read as one: the plan's text must stay short. */
const rangesMax = 4;

export function buildRelation(
  sources: readonly Source[],
  needs: SelectNeeds,
  mode: MergeMode,
): Relation {
  const within = sources.filter((s) => overlaps(s, needs));
  const plain = within.filter((s) => !s.late);
  const late = within.filter((s) => s.late);
  const notes = [describe(within, sources.length)];
  if (late.length === 0) {
    notes.push("merge: none needed");
    return {
      sql: union(
        plain.map((s) => selectSource(s, needs)),
        needs,
      ),
      notes,
    };
  }
  const ranges = mergeRanges(late.map((s) => clip(s, needs)));
  notes.push(
    `merge: ${mode} over ${ranges.map((r) => `[${r.min}, ${r.max}]`).join(", ")} (${late.length} late sources)`,
  );
  const selects: string[] = [];
  for (const source of plain) {
    const touched = ranges.some((r) => source.minTime <= r.max && source.maxTime >= r.min);
    const outside = touched
      ? ranges
          .map((r) => `NOT (${timeCondition(source, needs.schema, r.min, r.max) || "true"})`)
          .join(" AND ")
      : "";
    selects.push(selectSource(source, needs, outside));
  }
  for (const range of ranges) {
    const inRange = { ...needs, timeMin: range.min, timeMax: range.max };
    const touches = (s: Source) => s.minTime <= range.max && s.maxTime >= range.min;
    selects.push(mergedSelect(plain.filter(touches), late.filter(touches), inRange, mode));
  }
  return { sql: union(selects, needs), notes };
}

function mergedSelect(
  plain: readonly Source[],
  late: readonly Source[],
  needs: SelectNeeds,
  mode: MergeMode,
): string {
  const time = `c${needs.schema.timeIndex}`;
  const columns = [...new Set([needs.schema.timeIndex, ...needs.columns])].map((id) => `c${id}`);
  const keyNeeds = { ...needs, columns: [] };
  const lateKeys = late.map((s) => selectSource(s, keyNeeds)).join(" UNION ALL ");
  const lateRows = late.map((s) => selectSource(s, needs)).join(" UNION ALL ");
  const older = plain.map((s) => selectSource(s, needs)).join(" UNION ALL ");
  const same = (a: string, b: string) => `${a}.sid = ${b}.sid AND ${a}.${time} = ${b}.${time}`;
  const parts: string[] = [];
  if (older !== "")
    parts.push(
      `SELECT i.sid, ${columns.map((c) => `i.${c}`).join(", ")} FROM (${older}) i ANTI JOIN (${lateKeys}) k ON ${same("i", "k")}`,
    );
  const fields = new Set(fieldColumns(needs.schema).map((c) => `c${c.id}`));
  // Whether a row exists is the same question in both modes: is its newest version a put?
  if (mode === "last_row" || !columns.some((c) => fields.has(c))) {
    parts.push(
      `SELECT l.sid, ${columns.map((c) => `l.${c}`).join(", ")} FROM (${lateRows}) l SEMI JOIN ` +
        `(SELECT max(seq) AS seq FROM (${lateKeys}) GROUP BY sid, ${time}) w ON l.seq = w.seq WHERE l.op = 1`,
    );
  } else {
    let versions = lateRows;
    if (older !== "")
      versions +=
        ` UNION ALL SELECT i.sid, ${columns.map((c) => `i.${c}`).join(", ")}, CAST(0 AS UBIGINT) AS seq, ` +
        `CAST(1 AS UTINYINT) AS op FROM (${older}) i SEMI JOIN (${lateKeys}) k ON ${same("i", "k")}`;
    // Sequences start at 1, so 0 is older than every late row.
    const alive = late.some((s) => s.hasDeletes)
      ? `SELECT v.* FROM (${versions}) v LEFT JOIN (SELECT sid, ${time}, max(seq) AS seq FROM (${lateKeys}) WHERE op = 0 ` +
        `GROUP BY sid, ${time}) d ON ${same("v", "d")} WHERE v.op = 1 AND (d.seq IS NULL OR v.seq > d.seq)`
      : versions;
    const folded = columns
      .filter((c) => c !== time)
      .map((c) => `, ${fields.has(c) ? `arg_max(${c}, seq)` : `any_value(${c})`} AS ${c}`)
      .join("");
    parts.push(
      `SELECT sid, ${columns.join(", ")} FROM (SELECT sid, ${time}${folded} FROM (${alive}) GROUP BY sid, ${time})`,
    );
  }
  return parts.join(" UNION ALL ");
}

function union(selects: readonly string[], needs: SelectNeeds): string {
  if (selects.length > 0) return `(${selects.join(" UNION ALL ")})`;
  return `(${selectSource(emptySource(needs), needs)})`;
}

/** A region with no source still has columns. */
function emptySource(needs: SelectNeeds): Source {
  return {
    from: `(SELECT CAST(0 AS UINTEGER) AS sid${needs.schema.columns
      .filter((c) => c.role !== "tag")
      .map((c) => `, NULL AS c${c.id}`)
      .join("")} WHERE false)`,
    kind: "memtable",
    late: false,
    hasDeletes: false,
    rows: 0,
    minTime: 0n,
    maxTime: 0n,
    // Unequal to every type, so each column is cast to its own.
    columns: needs.schema.columns
      .filter((c) => c.role !== "tag")
      .map((c) => ({ id: c.id, name: `c${c.id}`, type: { kind: "null" } })),
    sid: "sid",
    sequence: "seq",
    op: "op",
  };
}

function overlaps(source: Source, needs: SelectNeeds): boolean {
  return (
    source.rows > 0 &&
    (needs.timeMin === undefined || source.maxTime >= needs.timeMin) &&
    (needs.timeMax === undefined || source.minTime <= needs.timeMax)
  );
}

function clip(source: Source, needs: SelectNeeds): Range {
  const min =
    needs.timeMin !== undefined && needs.timeMin > source.minTime ? needs.timeMin : source.minTime;
  const max =
    needs.timeMax !== undefined && needs.timeMax < source.maxTime ? needs.timeMax : source.maxTime;
  return { min, max };
}

/** Overlapping ranges joined, ascending; at most rangesMax, else their hull. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((a, b) => (a.min < b.min ? -1 : a.min > b.min ? 1 : 0));
  const joined: Range[] = [];
  for (const range of sorted) {
    const last = joined[joined.length - 1];
    if (last !== undefined && range.min <= last.max)
      joined[joined.length - 1] = {
        min: last.min,
        max: range.max > last.max ? range.max : last.max,
      };
    else joined.push(range);
  }
  if (joined.length <= rangesMax) return joined;
  return [{ min: joined[0]!.min, max: joined[joined.length - 1]!.max }];
}

function describe(within: readonly Source[], total: number): string {
  const count = (kind: Source["kind"]) => within.filter((s) => s.kind === kind).length;
  return `sources: ${count("memtable")} memtable tables, ${count("sst")} sst groups, ${total - within.length} pruned by time`;
}

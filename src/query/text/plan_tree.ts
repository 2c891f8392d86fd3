/** The engine's plan, given as JSON, as an indented list: one operator a line, with its details and, if it ran, rows and time. */

interface PlanNode {
  readonly name?: string;
  readonly operator_name?: string;
  readonly operator_cardinality?: number;
  /** Seconds. */
  readonly operator_timing?: number;
  readonly extra_info?: Readonly<Record<string, string | readonly string[]>>;
  readonly children?: readonly PlanNode[];
}

/** Details longer than this (VALUES, long lists) are cut: a plan is read by people. */
const detailCharsMax = 200;

/** Lines of the text of EXPLAIN (FORMAT JSON). */
export function planLines(text: string): string[] {
  const root = JSON.parse(text) as PlanNode | readonly PlanNode[];
  const lines: string[] = [];
  for (const node of rootsOf(root)) walk(node, 0, lines);
  return lines;
}

/** Rows that the top operator of the text of EXPLAIN (ANALYZE, FORMAT JSON) yielded. */
export function planRows(text: string): number {
  const roots = rootsOf(JSON.parse(text) as PlanNode | readonly PlanNode[]);
  return roots.reduce((sum, node) => sum + (node.operator_cardinality ?? 0), 0);
}

/** The analyzed form wraps the plan in a summary and in the EXPLAIN itself. */
function rootsOf(root: PlanNode | readonly PlanNode[]): readonly PlanNode[] {
  const nodes = Array.isArray(root) ? (root as readonly PlanNode[]) : [root as PlanNode];
  return nodes.flatMap((node) => {
    const name = node.operator_name ?? node.name;
    return name === undefined || name === "EXPLAIN_ANALYZE" ? rootsOf(node.children ?? []) : [node];
  });
}

function walk(node: PlanNode, depth: number, lines: string[]): void {
  const name = (node.operator_name ?? node.name ?? "").trim();
  const details = Object.entries(node.extra_info ?? {})
    .filter(([key]) => key !== "Type")
    .map(([key, value]) => `${key}=[${cut(typeof value === "string" ? value : value.join(", "))}]`);
  const ran =
    node.operator_timing === undefined
      ? ""
      : ` rows=${node.operator_cardinality ?? 0} time=${(node.operator_timing * 1000).toFixed(3)}ms`;
  const extra = details.length === 0 ? "" : `: ${details.join(", ")}`;
  lines.push(`${"  ".repeat(depth)}${name}${ran}${extra}`);
  for (const child of node.children ?? []) walk(child, depth + 1, lines);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= detailCharsMax ? line : `${line.slice(0, detailCharsMax)}...`;
}

/** information_schema: what the server says of itself: engines, build_info, cluster_info, process_list. */
import { CATALOG_NAME } from "../../catalog/mod.ts";
import { type Cell, columnsOf, type VirtualTable } from "./virtual_table.ts";

/** Length of a short commit hash, as git prints it. */
const shortHashChars = 7;

export const CLUSTER_TABLES: readonly VirtualTable[] = [
  {
    name: "engines",
    id: 5,
    columns: columnsOf("engine support comment transactions xa savepoints:Str"),
    rows: () => [["mito", "DEFAULT", "Storage engine for time-series data", "NO", "NO", "NO"]],
  },
  {
    name: "build_info",
    id: 8,
    columns: columnsOf("git_branch git_commit git_commit_short git_clean pkg_version:Str"),
    rows: ({ server }) => [
      [
        server.gitBranch,
        server.gitCommit,
        server.gitCommit.slice(0, shortHashChars),
        "true",
        server.version,
      ],
    ],
  },
  {
    name: "cluster_info",
    id: 31,
    columns: columnsOf(`peer_id:I peer_type:Str peer_addr peer_hostname:Str?
      total_cpu_millicores total_memory_bytes cpu_usage_millicores memory_usage_bytes:I
      version git_commit:Str start_time:TsMs? uptime active_time node_status:Str?`),
    rows: ({ server, nowMs }) => [
      [
        0,
        "STANDALONE",
        "",
        server.hostname,
        server.cpuCount * 1000,
        server.memoryBytes,
        -1,
        -1,
        server.version,
        server.gitCommit,
        BigInt(server.startedAtMs),
        uptimeText(nowMs - server.startedAtMs),
        null,
        null,
      ],
    ],
  },
  {
    name: "process_list",
    id: 36,
    columns: columnsOf(`id catalog schemas query client frontend:Str start_timestamp:TsMs
      elapsed_time:DurMs`),
    rows: ({ running, nowMs, server }) =>
      running().map((entry): Cell[] => [
        entry.id,
        CATALOG_NAME,
        entry.db,
        entry.sql,
        `${entry.protocol}[${entry.user}]`,
        server.address,
        BigInt(entry.startedMs),
        BigInt(Math.max(0, nowMs - entry.startedMs)),
      ]),
  },
];

/** Milliseconds → `1d 2h 3m 4s`, without the parts that are zero. */
function uptimeText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const text = parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`);
  return text.length === 0 ? "0s" : text.join(" ");
}

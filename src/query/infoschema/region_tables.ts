/** information_schema: partitions, region_peers, region_statistics, region_info, ssts_manifest, ssts_storage. */

import { CATALOG_NAME, type TableInfo } from "../../catalog/mod.ts";
import { type TimeUnit, timeColumn, UNIT_NANOS } from "../../types/mod.ts";
import { type Cell, columnsOf, type VirtualTable } from "./virtual_table.ts";
import { regionsOf, tablesOf } from "./walk.ts";

const regionNumber = (id: bigint) => Number(id & 0xffff_ffffn);
/** The top byte of the region number is its group, the rest counts within it. */
const regionGroup = (id: bigint) => regionNumber(id) >>> 24;
const regionSequence = (id: bigint) => regionNumber(id) & 0xff_ffff;

const toNanos = (ticks: bigint, unit: TimeUnit) => {
  const ns = ticks * UNIT_NANOS[unit];
  return BigInt.asIntN(64, ns) === ns ? ns : null; // Beyond the years that nanoseconds reach.
};

/** The bound of a region; one region that holds all partitions has none. */
function partitionText(table: TableInfo, index: number): string | null {
  const expressions = table.partition?.expressions ?? [];
  return expressions.length === table.regionIds.length ? expressions[index]! : null;
}

export const REGION_TABLES: readonly VirtualTable[] = [
  {
    name: "partitions",
    id: 28,
    columns: columnsOf(`table_catalog table_schema table_name partition_name:Str
      subpartition_name:Str? partition_ordinal_position subpartition_ordinal_position:I?
      partition_method subpartition_method partition_expression subpartition_expression
      partition_description:Str? table_rows avg_row_length data_length max_data_length
      index_length data_free:I? create_time update_time check_time:TsS? checksum:I?
      partition_comment nodegroup tablespace_name:Str? greptime_partition_id:U?`),
    rows: (world) =>
      tablesOf(world).flatMap((table) =>
        table.regionIds.map((id, i): Cell[] => [
          CATALOG_NAME,
          table.db,
          table.name,
          `p${i}`,
          null,
          i + 1,
          null,
          "RANGE",
          null,
          table.partition?.columns.join(", ") ?? null,
          null,
          partitionText(table, i),
          null,
          null,
          null,
          null,
          null,
          null,
          BigInt(Math.floor(table.createdAtMs / 1000)),
          null,
          null,
          null,
          null,
          null,
          null,
          id,
        ]),
      ),
  },
  {
    name: "region_peers",
    id: 29,
    columns: columnsOf(`table_catalog table_schema table_name:Str region_id:U peer_id:U?
      peer_addr is_leader status:Str? down_seconds:I?`),
    rows: (world) =>
      tablesOf(world).flatMap((table) =>
        table.regionIds.map((id): Cell[] => [
          CATALOG_NAME,
          table.db,
          table.name,
          id,
          0,
          "",
          "Yes",
          "ALIVE",
          null,
        ]),
      ),
  },
  {
    name: "region_statistics",
    id: 35,
    columns: columnsOf(`region_id:U table_id region_number:U32 region_rows
      written_bytes_since_open query_cpu_time_millis query_scanned_bytes disk_size memtable_size
      manifest_size sst_size sst_num index_size:U? engine region_role:Str?`),
    rows: (world) =>
      regionsOf(world).map(({ table, region }): Cell[] => {
        const stats = region.stats();
        return [
          region.id,
          table.id,
          regionNumber(region.id),
          stats.rows,
          null,
          null,
          null,
          stats.sstBytes + stats.manifestBytes,
          stats.memtableBytes,
          stats.manifestBytes,
          stats.sstBytes,
          stats.sstFiles,
          0,
          table.engine,
          "Leader",
        ];
      }),
  },
  {
    name: "region_info",
    id: 43,
    columns: columnsOf(`region_id:U table_id region_number:U32 region_group:U8
      region_sequence:U32 state role:Str writable:Bool committed_sequence:U flushed_sequence:U?
      manifest_version:U compaction_time_window:Str? region_options sst_format:Str node_id:U?`),
    rows: (world) =>
      regionsOf(world).map(({ table, region }): Cell[] => {
        const stats = region.stats();
        return [
          region.id,
          table.id,
          regionNumber(region.id),
          regionGroup(region.id),
          regionSequence(region.id),
          "Writable",
          "Leader",
          true,
          stats.committedSequence,
          stats.flushedSequence,
          stats.manifestVersion,
          table.schema.options["compaction.twcs.time_window"] ?? null,
          JSON.stringify(table.schema.options),
          table.schema.options.sst_format ?? "flat",
          0,
        ];
      }),
  },
  {
    name: "ssts_manifest",
    id: 38,
    columns: columnsOf(`table_dir:Str region_id:U table_id region_number:U32 region_group:U8
      region_sequence:U32 file_id:Str index_version:U level:U8 file_path:Str file_size:U
      index_file_path:Str? index_file_size:U? num_rows:U num_row_groups num_series:U?
      min_ts max_ts:TsNs? sequence:U? origin_region_id:U node_id:U? visible:Bool
      primary_key_min primary_key_max:Bin?`),
    rows: (world) =>
      regionsOf(world).flatMap(({ table, region }) => {
        const unit = timeColumn(table.schema).type.unit;
        return region
          .files()
          .map((file): Cell[] => [
            file.path.slice(0, file.path.lastIndexOf("/") + 1),
            region.id,
            table.id,
            regionNumber(region.id),
            regionGroup(region.id),
            regionSequence(region.id),
            file.fileId,
            0,
            file.level,
            file.path,
            file.bytes,
            null,
            null,
            file.rows,
            null,
            null,
            toNanos(file.minTime, unit),
            toNanos(file.maxTime, unit),
            file.maxSequence,
            region.id,
            0,
            true,
            null,
            null,
          ]);
      }),
  },
  {
    name: "ssts_storage",
    id: 39,
    columns: columnsOf("file_path:Str file_size:U? last_modified_ms:TsMs? node_id:U?"),
    rows: (world) =>
      regionsOf(world).flatMap(({ region }) =>
        region.files().map((file): Cell[] => [file.path, file.bytes, null, 0]),
      ),
  },
];

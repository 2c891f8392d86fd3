/**
 * information_schema: tables that exist for MySQL's sake and never have rows, and those whose subjects
 * (flows, procedures) this server does not have.
 */
import { columnsOf, type VirtualTable } from "./virtual_table.ts";

const empty = (name: string, id: number, columns: string): VirtualTable => ({
  name,
  id,
  columns: columnsOf(columns),
  rows: () => [],
});

export const EMPTY_TABLES: readonly VirtualTable[] = [
  empty(
    "check_constraints",
    12,
    "constraint_catalog constraint_schema constraint_name check_clause:Str",
  ),
  empty(
    "column_privileges",
    6,
    "grantee table_catalog table_schema table_name column_name privilege_type is_grantable:Str",
  ),
  empty(
    "table_privileges",
    23,
    "grantee table_catalog table_schema table_name privilege_type is_grantable:Str",
  ),
  empty(
    "schema_privileges",
    22,
    "grantee table_catalog table_schema privilege_type is_grantable:Str",
  ),
  empty("column_statistics", 7, "schema_name table_name column_name histogram:Str"),
  empty(
    "referential_constraints",
    17,
    `constraint_catalog constraint_schema constraint_name unique_constraint_catalog
     unique_constraint_schema unique_constraint_name match_option update_rule delete_rule
     table_name referenced_table_name:Str`,
  ),
  empty("global_status", 25, "variable_name variable_value:Str"),
  empty("session_status", 27, "variable_name variable_value:Str"),
  empty(
    "optimizer_trace",
    19,
    "query trace:Str missing_bytes_beyond_max_mem_size insufficient_privileges:I",
  ),
  empty(
    "events",
    13,
    `event_catalog event_schema event_name definer time_zone event_body event_definition
     event_type:Str execute_at:TsUs interval_value:I interval_field sql_mode:Str starts ends:TsUs
     status on_completion:Str created last_altered last_executed:TsUs event_comment:Str
     originator:I character_set_client collation_connection database_collation:Str`,
  ),
  empty(
    "files",
    14,
    `file_id:I file_name file_type tablespace_name table_catalog table_schema table_name
     logfile_group_name:Str logfile_group_number:I engine fulltext_keys:Str deleted_rows
     update_count free_extents total_extents extent_size initial_size maximum_size
     autoextend_size:I creation_time last_update_time last_access_time:TsUs recover_time
     transaction_counter:I version:Str row_format:Str table_rows avg_row_length data_length
     max_data_length index_length data_free:I create_time update_time check_time:TsUs checksum
     status:Str extra:Str`,
  ),
  empty(
    "parameters",
    18,
    `specific_catalog specific_schema specific_name:Str ordinal_position:I parameter_mode
     parameter_name data_type:Str character_maximum_length character_octet_length
     numeric_precision numeric_scale datetime_precision:I character_set_name collation_name
     dtd_identifier routine_type:Str`,
  ),
  empty(
    "profiling",
    20,
    `query_id seq:I state:Str duration cpu_user cpu_system context_voluntary context_involuntary
     block_ops_in block_ops_out messages_sent messages_received page_faults_major
     page_faults_minor swaps:I source_function source_file:Str source_line:I`,
  ),
  empty(
    "routines",
    21,
    `specific_name routine_catalog routine_schema routine_name routine_type data_type:Str
     character_maximum_length character_octet_length numeric_precision numeric_scale
     datetime_precision:I character_set_name collation_name dtd_identifier routine_body
     routine_definition external_name external_language parameter_style is_deterministic
     sql_data_access sql_path security_type:Str created last_altered:TsUs sql_mode
     routine_comment definer character_set_client collation_connection database_collation:Str`,
  ),
  empty(
    "procedure_info",
    34,
    "procedure_id procedure_type:Str start_time end_time:TsMs? status:Str lock_keys:Str?",
  ),
  empty(
    "flows",
    33,
    `flow_name:Str flow_id:U32 state_size:U? table_catalog flow_definition:Str comment:Str?
     expire_after:I? source_table_ids:Str? sink_table_name:Str flownode_ids options:Str?
     created_time updated_time:TsMs last_execution_time:TsMs? source_table_names
     flownode_addrs:Str?`,
  ),
  empty(
    "flow_statistics",
    44,
    `flow_id:U32 flow_name:Str start_time last_execution_time:TsMs? uptime_seconds:I?
     state_size:U?`,
  ),
  empty(
    "ssts_index_meta",
    40,
    `table_dir index_file_path:Str region_id:U table_id region_number:U32 region_group:U8
     region_sequence:U32 file_id:Str index_file_size:U? index_type target_type target_key
     target_json:Str blob_size:U meta_json:Str? node_id:U?`,
  ),
];

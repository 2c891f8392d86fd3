/** Which words may not be what: an expression, an alias, a column of a new table. All lower case. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that cannot start an expression, so that `SELECT FROM t` is an error at FROM. */
export const NO_EXPRESSION = words(`
  select from where group having order limit offset union except intersect on join inner cross
  natural using as by in is like ilike between and or xor then when else end into values set with
  qualify window fetch desc asc over filter within table create drop insert alter returning rlike regexp`);

/** Words that end a select item rather than being its alias without AS. */
export const NO_COLUMN_ALIAS = words(`
  with explain analyze select where group sort having order top lateral view limit offset fetch union
  except exclude intersect minus cluster distribute returning values from into end qualify window
  range fill align over filter within and or xor not is in like ilike between similar rlike regexp
  collate at as on then when else using div`);

/** Words that end a table reference rather than being its alias without AS. */
export const NO_TABLE_ALIAS = words(`
  with explain analyze select where group sort having order pivot unpivot top lateral view limit offset
  fetch union except intersect minus on join inner cross full left right natural using cluster
  distribute global anti semi returning asof outer set qualify window end for partition prewhere
  settings format start connect sample tablesample from align fill values`);

/** Trailing commas of a select list may stand before these. */
export const AFTER_SELECT_LIST = words(
  "from where group having order limit offset union except intersect qualify window align",
);

/**
 * Keywords that CREATE TABLE and ALTER TABLE refuse as an unquoted column name. The reference refuses every
 * keyword of its parser; `ts`, `host`, `cpu`, `memory`, `label`, `state`, `code`, `duration`, `tags` are none.
 */
export const NO_COLUMN_NAME = words(`
  abort abs absent absolute access account action add admin after against aggregate alarm alert algorithm
  alias align all allocate alter always analyze and anti any apply archive are array array_max_cardinality
  as asc asensitive assert asymmetric at atomic attach audit authentication authorization auto
  auto_increment autoincrement avg avro backup backward base64 before begin begin_frame begin_partition
  bernoulli between bigdecimal bigint bignumeric binary binding bit blob block bloom bloomfilter bool boolean
  both bound boundary box brin browse btree bucket buckets by bypassrls bytea bytes cache call called
  cardinality cascade cascaded case cases cast catalog catch ceil ceiling centuries century chain change
  changes channel char character character_length characters charset char_length check checkpoint circle
  clear clob clone close cluster clustered clustering coalesce collate collation collect column columns
  columnstore comment commit committed compatible compression compute concurrently condition conflict connect
  connection connector constraint contains continue convert copy corr count covar_pop covar_samp create
  createdb createrole credentials cross csv cube cume_dist current current_catalog current_date
  current_default_transform_group current_path current_role current_row current_schema current_time
  current_timestamp current_transform_group_for_type current_user cursor cycle data database databases
  data_retention_time_in_days date date32 datetime datetime64 day dayofweek dayofyear days deallocate dec
  decade decades decimal declare decode dedup deduplicate default deferrable deferred define defined definer
  delayed delete delimited delimiter delta dense_rank deny deref desc describe detach deterministic directory
  disable discard disconnect distinct distribute div do domain double dow downstream doy drop dry dynamic each
  element elements else elsif emit enable enclosed encode encoding encryption end end-exec endpoint end_frame
  end_partition enforced engine engines enum enum16 enum8 ephemeral epoch equals error escape escaped event
  every evolve except exception exchange exclude exclusive exec execute exists exp expansion explain explicit
  export extend extended extension external extract fail failover false fetch fields file files file_format
  fill filter final first first_value fixedstring float float32 float4 float64 float8 floor flush following
  for force force_not_null force_null force_quote foreign format formatted forward frame_row freeze from
  fsck full fulltext function functions fusion future general generate generated geography get global grant
  granted grants graphviz greatest group grouping groups hash having header heap high_priority history hold
  hosts hour hours hugeint iceberg id identity identity_insert if ignore ilike immediate immutable import
  in include include_null_values increment index indicator inherit initially inner inout inpath input
  inputformat insensitive insert install instead int int128 int16 int2 int256 int32 int4 int64 int8 integer
  integration intersect intersection interval into invoker io is isodow isolation isoweek isoyear items
  jar join json jsonfile jsonb json_table julian key keys kill lag language large last last_value
  lateral lead leading leakproof least left level like like_regex limit line lines link list listen ln load
  local localtime localtimestamp location lock locked log login logs lower low_priority ls lseg macro
  managedlocation manage map mask masking match matched matches match_condition match_recognize materialized
  max maxvalue max_data_extension_time_in_days measures mediumblob mediumint mediumtext member merge message
  metadata method metric microsecond microseconds millenium millennium millisecond milliseconds min minus
  minute minutes minvalue mod mode modifies modify module monitor month months msck multiset mutation name
  names nanosecond nanoseconds national natural nchar nclob nested network never new next no nobypassrls
  nocreatedb nocreaterole noinherit nologin none noorder noreplication normalize noscan nosuperuser not
  nothing notify notnull nowait no_write_to_binlog nth_value ntile null nullable nullif nulls numeric
  nvarchar object objects occurrences_regex octets octet_length of off offset offsets old omit on only
  open openjson operate operator optimize option options or orc order ordinality organization out outer
  output outputformat over overflow overlaps overlay overwrite owned owner ownership package packages
  parallel parameter parquet part partial partition partitioned partitions password paste path pattern
  percent percentile_cont percentile_disc percent_rank period permissive persistent pivot placing plan plans
  point policy polygon pool portion position position_regex power pragma precedes preceding precision prefer
  prepare prepend presign preserve prewhere primary print prior private privileges procedure profile program
  projection public purchase purge qualify quarter query quote raise raw rcfile read reads readonly
  read_only real rebuild reclassify recluster recursive ref reference references referencing regclass
  regexp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy region
  relative relaxed release releases remote remove rename reorg repair repeatable replace replica replicate
  replication reset resolve resource respect restart restrict restricted restrictions restrictive result
  resultset resume retain return returning returns revoke right rlike role roles rollback rollup root row
  rowid rows row_number rule run safe safe_cast sample savepoint schema schemas scope scroll search second
  secondary secondary_engine_attribute seconds secret security seed select semi sensitive separator
  sequence sequencefile sequences serde serdeproperties serializable server service session session_user
  set setof sets settings share sharing show signed similar skip slow smallint snapshot some sort sorted
  source spatial specific specifictype sql sqlexception sqlstate sqlwarning sqrt stable stage start starts
  static statement statistics status stddev_pop stddev_samp stdin stdout step storage stored straight_join
  strict string strict structure struct submultiset subscript substr substring substring_regex succeeds sum
  super superuser support suspend swap symmetric sync system system_time system_user table tables
  tablesample tablespace tag target task temp temporary template terminated text textfile then ties time
  timestamp timestamptz timestamp_ntz timetz timezone timezone_abbr timezone_hour timezone_minute
  timezone_region tinyblob tinyint tinytext to top totals trace trailing tran transaction transient translate
  translate_regex translation treat trigger trim trim_array true truncate try try_cast try_convert tuple
  type ubigint uescape uhugeint uint uint128 uint16 uint256 uint32 uint64 uint8 unbounded uncache uncommitted
  undefined unfreeze union unique unknown unlink unlisten unload unlock unlogged unmatched unnest unpivot
  unsafe unsigned until update upper url usage use user user_resources using usmallint utinyint uuid vacuum
  valid validate validation_mode value values value_of varbinary varbit varchar variables variadic varying
  var_pop var_samp verbose version versioning versions view views virtual volatile volume warehouse warnings
  week weeks when whenever where width_bucket window with within without without_array_wrapper work
  workload_identity wrapper write xml xmlnamespaces xmltable xor year years yes zone zorder`);

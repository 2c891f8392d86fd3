CREATE TABLE t (host STRING, dc STRING NOT NULL, v DOUBLE DEFAULT 0.5 COMMENT 'c', n DECIMAL(10, 2), ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, dc)) WITH (ttl = '7d', skip_wal = 'true');

CREATE TABLE parts (host STRING PRIMARY KEY, ts TIMESTAMP TIME INDEX) PARTITION ON COLUMNS (host) (host < 'm', host >= 'm');

USE information_schema;

SHOW TABLES;

SELECT table_catalog, table_schema, table_name, table_type, table_id, engine, create_options, temporary FROM tables WHERE table_schema = 'public';

SELECT table_name, create_time FROM tables WHERE table_name = 't';

SELECT count(*) > 30 FROM information_schema.tables WHERE table_schema = 'information_schema' AND table_type = 'LOCAL TEMPORARY';

SELECT * FROM columns WHERE table_name = 't' ORDER BY ordinal_position;

SELECT column_name, data_type FROM INFORMATION_SCHEMA.COLUMNS WHERE table_name = 'engines' ORDER BY ordinal_position;

SELECT * FROM schemata;

SELECT constraint_name, table_name, column_name, ordinal_position, greptime_index_type FROM key_column_usage WHERE table_schema = 'public' ORDER BY table_name, constraint_name, ordinal_position;

SELECT * FROM table_constraints ORDER BY table_name, constraint_name;

SELECT table_name, index_name, seq_in_index, column_name, nullable, index_type FROM statistics ORDER BY table_name, index_name, seq_in_index;

SELECT table_name, partition_name, partition_ordinal_position, partition_expression, partition_description, greptime_partition_id FROM partitions ORDER BY table_name, partition_name;

SELECT * FROM engines;

SELECT pkg_version FROM build_info;

SELECT peer_id, peer_type, peer_addr, total_cpu_millicores, version, start_time FROM cluster_info;

SELECT * FROM region_peers;

SELECT region_id, table_id, region_number, engine, region_role FROM region_statistics;

SELECT region_id, state, role, writable FROM region_info;

SELECT count(*) FROM ssts_manifest;

INSERT INTO public.t (host, dc, ts) VALUES ('a', 'x', 1000), ('b', 'x', 2000);

ADMIN flush_table('public.t');

SELECT table_id, level, num_rows, min_ts, max_ts, visible FROM ssts_manifest;

SELECT catalog, schemas, query FROM process_list;

SELECT * FROM character_sets;

SELECT * FROM collations;

SELECT * FROM flows;

SELECT * FROM events;

SELECT * FROM nope;

-- Joins, aggregates and sub-queries work over them.
SELECT t.table_name, count(*) AS columns FROM tables t JOIN columns c ON t.table_name = c.table_name AND t.table_schema = c.table_schema WHERE t.table_schema = 'public' GROUP BY t.table_name ORDER BY t.table_name;

SELECT table_name FROM tables WHERE table_id = (SELECT max(table_id) FROM tables);

INSERT INTO engines VALUES ('x');

DROP TABLE engines;

CREATE TABLE cpu (host STRING, dc STRING NOT NULL, util DOUBLE DEFAULT 0.5, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host, dc));

SHOW CREATE TABLE cpu;

DESC TABLE cpu;

-- A second time it is there already.
CREATE TABLE cpu (host STRING, ts TIMESTAMP TIME INDEX);

CREATE TABLE IF NOT EXISTS cpu (host STRING, ts TIMESTAMP TIME INDEX);

-- Every type, as spelled and as shown.
CREATE TABLE types (
  ts TIMESTAMP(9) TIME INDEX,
  i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, i64b INT8,
  u8 TINYINT UNSIGNED, u16 UINT16, u32 INT UNSIGNED, u64 BIGINT UNSIGNED, u8b UINT8,
  f32 FLOAT, f64 DOUBLE, f32b REAL,
  b BOOLEAN, s STRING, s2 VARCHAR(10), s3 TEXT, bin VARBINARY, bin2 BYTEA,
  d DATE, t0 TIMESTAMP(0), t3 TIMESTAMP_MS, t6 DATETIME, t9 TIMESTAMP_NS,
  dec1 DECIMAL, dec2 DECIMAL(10), dec3 DECIMAL(10, 2),
  j JSON, v VECTOR(3)
);

SHOW CREATE TABLE types;

DESC types;

-- Names that need quotes, comments, indexes, options.
CREATE TABLE IF NOT EXISTS "My-Table" (
  "time" TIMESTAMP(3) NOT NULL COMMENT 'when it''s been',
  "Host Name" STRING NULL INVERTED INDEX,
  msg STRING FULLTEXT INDEX WITH (analyzer = 'Chinese', case_sensitive = 'true'),
  trace_id STRING SKIPPING INDEX,
  "a""b" INT DEFAULT -1,
  TIME INDEX ("time"),
  PRIMARY KEY ("Host Name"),
) ENGINE = mito WITH (ttl = '7d', append_mode = 'true', 'compaction.type' = 'twcs', 'compaction.twcs.time_window' = '1d');

SHOW CREATE TABLE "My-Table";

-- Reading the layout back gives the same table.
CREATE TABLE IF NOT EXISTS "copy" (
  "time" TIMESTAMP(3) NOT NULL COMMENT 'when it''s been',
  "Host Name" STRING NULL INVERTED INDEX,
  "msg" STRING NULL FULLTEXT INDEX WITH(analyzer = 'Chinese', backend = 'bloom', case_sensitive = 'true', false_positive_rate = '0.01', granularity = '10240'),
  "trace_id" STRING NULL SKIPPING INDEX WITH(false_positive_rate = '0.01', granularity = '10240', type = 'BLOOM'),
  "a""b" INT NULL DEFAULT -1,
  TIME INDEX ("time"),
  PRIMARY KEY ("Host Name")
)

ENGINE=mito
WITH(
  append_mode = 'true',
  'compaction.twcs.time_window' = '1d',
  'compaction.type' = 'twcs',
  ttl = '7days'
);

SHOW CREATE TABLE "copy";

CREATE TABLE cpu2 LIKE cpu;

SHOW CREATE TABLE cpu2;

-- Partition rules are kept and shown.
CREATE TABLE parts (host STRING PRIMARY KEY, v DOUBLE, ts TIMESTAMP TIME INDEX)
PARTITION ON COLUMNS (host) (host < 'm', host >= 'm');

SHOW CREATE TABLE parts;

-- Defaults of every kind.
CREATE TABLE defaults (
  ts TIMESTAMP(3) DEFAULT current_timestamp() TIME INDEX,
  s STRING DEFAULT 'it''s',
  i INT DEFAULT 5, n BIGINT DEFAULT -9223372036854775808, u BIGINT UNSIGNED DEFAULT 18446744073709551615,
  f DOUBLE DEFAULT 1, b BOOLEAN DEFAULT true, d DATE DEFAULT '2024-02-29',
  t TIMESTAMP(6) DEFAULT '2024-01-01 00:00:00.5', rawts TIMESTAMP(0) DEFAULT 1700000000,
  dec DECIMAL(10, 2) DEFAULT 1.5, nothing STRING DEFAULT NULL
);

SHOW CREATE TABLE defaults;

DESC defaults;

SHOW TABLES;

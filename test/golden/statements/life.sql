-- The same questions in memory, flushed, compacted, and with late rows beside.
CREATE TABLE t (host STRING, dc STRING, v DOUBLE, note STRING, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, dc));

INSERT INTO t VALUES ('a', 'x', 1, 'one', 1000), ('a', 'x', 2, NULL, 2000), ('b', NULL, 3, '', 1000), ('b', 'y', NULL, 'y', 3000);

SELECT * FROM t;

ADMIN flush_table('t');

SELECT * FROM t;

INSERT INTO t VALUES ('a', 'x', 10, 'rewritten', 1000), ('a', 'x', 0, 'late', 500);

SELECT * FROM t;

SELECT host, v FROM t WHERE v = 1;

ADMIN flush_table('t');

SELECT * FROM t;

DELETE FROM t WHERE note = 'late';

SELECT * FROM t;

ADMIN flush_table('t');

ADMIN compact_table('t');

SELECT * FROM t;

ALTER TABLE t ADD COLUMN extra INT DEFAULT 7;

SELECT host, ts, extra FROM t;

ALTER TABLE t DROP COLUMN note;

ALTER TABLE t ADD COLUMN note STRING;

SELECT host, ts, note FROM t;

INSERT INTO t (host, dc, ts, note) VALUES ('a', 'x', 4000, 'new');

ADMIN flush_table('t');

SELECT host, ts, note, extra FROM t WHERE note IS NOT NULL;

ADMIN compact_table('t');

SELECT * FROM t;

SELECT count(*), sum(v), min(ts), max(ts) FROM t WHERE host = 'a' AND ts >= 1000 AND ts <= 4000;

TRUNCATE TABLE t;

SELECT * FROM t;

INSERT INTO t (host, ts) VALUES ('a', 1);

SELECT * FROM t;

CREATE TABLE t (host STRING, dc STRING, v DOUBLE, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host, dc));

INSERT INTO t VALUES ('a', 'x', 1, 1), ('a', 'x', 2, 2), ('a', NULL, 3, 3), ('b', 'x', 4, 4), (NULL, NULL, 5, 5), ('', '', 6, 6);

DELETE FROM t WHERE host = 'a' AND ts = 1;

SELECT * FROM t;

-- By a field, by a NULL tag, by an empty tag.
DELETE FROM t WHERE v = 2;

DELETE FROM t WHERE dc IS NULL;

DELETE FROM t WHERE host = '';

SELECT * FROM t;

DELETE FROM t WHERE v > 100;

-- A deleted row does not come back under the filter that deleted it.
ADMIN flush_table('t');

INSERT INTO t VALUES ('c', 'x', 66.6, 7);

ADMIN flush_table('t');

DELETE FROM t WHERE v = 66.6;

SELECT * FROM t WHERE v = 66.6;

ADMIN flush_table('t');

SELECT * FROM t WHERE v = 66.6;

ADMIN compact_table('t');

SELECT * FROM t;

-- It may be written again.
INSERT INTO t VALUES ('c', 'x', 7, 7);

SELECT * FROM t;

DELETE FROM t WHERE host IN (SELECT host FROM t WHERE v = 7);

DELETE FROM t WHERE nope = 1;

DELETE FROM nope;

DELETE FROM information_schema.tables;

DELETE FROM t;

SELECT count(*) FROM t;

CREATE TABLE log (v INT, ts TIMESTAMP TIME INDEX) WITH (append_mode = 'true');

DELETE FROM log WHERE v = 1;

CREATE TABLE t (host STRING PRIMARY KEY, i INT, u UINT8, f DOUBLE, b BOOLEAN, d DATE, t6 TIMESTAMP(6), dec_ DECIMAL(10, 2), bin VARBINARY, j JSON, v VECTOR(2), ts TIMESTAMP(3) TIME INDEX);

INSERT INTO t (host, i, t6, j, d, ts) VALUES ('nulls', NULL, NULL, NULL, NULL, 1 + 1);

INSERT INTO t (host, i, u, f, b, d, dec_, ts) VALUES ('sums', 1 + 1, 2 * 3, 1 / 2.0, 1 < 2, '2024-01-01', 1.005 + 1, 3 + 0);

INSERT INTO t (host, t6, ts) VALUES (lower('TIMES'), now(), '2024-01-01 00:00:00'), ('casts', '2024-01-01'::TIMESTAMP, '2024-01-01T00:00:00.5Z');

INSERT INTO t (host, bin, j, ts) VALUES (concat('b', 'in'), 'abc', '{"b":1,"a":2}', 4);

INSERT INTO t (host, v, ts) VALUES ('vec', '[1, 2]', 6);

SELECT * FROM t ORDER BY host;

INSERT INTO t (host, u, ts) VALUES ('big', 300 + 1, 5);

INSERT INTO t (host, i, ts) VALUES ('text', 'x' || 'y', 5);

INSERT INTO t (host, j, ts) VALUES (upper('json'), '{"a"', 5);

INSERT INTO t (host, ts) VALUES (upper('none'), NULL);

CREATE TABLE same LIKE t;

INSERT INTO same SELECT * FROM t;

INSERT INTO same SELECT * FROM t WHERE host = 'sums' UNION ALL SELECT * FROM t WHERE host = 'times';

SELECT count(*) FROM same;

SELECT host, j, v, dec_ FROM same WHERE host IN ('bin', 'sums', 'vec') ORDER BY host;

INSERT INTO same (host, i, ts) SELECT host, sum(i), max(ts) + INTERVAL '1 day' FROM t GROUP BY host HAVING sum(i) > 0;

SELECT host, i, ts FROM same WHERE i = 2 ORDER BY ts;

INSERT INTO same (host, ts) SELECT 'x', ts FROM nope;

SET time_zone = '+01:00';

INSERT INTO same (host, ts) VALUES (lower('ZONED'), '2024-01-01 01:00:00');

INSERT INTO same (host, ts) SELECT 'selected', '2024-01-01 01:00:00';

INSERT INTO same (host, ts) SELECT 'utc', '2024-01-01 01:00:00'::TIMESTAMP;

SELECT host, ts FROM same WHERE host IN ('zoned', 'selected', 'utc') ORDER BY host;

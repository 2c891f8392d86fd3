CREATE TABLE src (host STRING PRIMARY KEY, v INT, ts TIMESTAMP TIME INDEX);

CREATE TABLE dst (host STRING PRIMARY KEY, v DOUBLE, note STRING DEFAULT 'none', ts TIMESTAMP(9) TIME INDEX);

INSERT INTO src VALUES ('a', 1, 1000), ('b', 2, 2000), ('c', NULL, 3000);

INSERT INTO dst (host, v, ts) SELECT host, v, ts FROM src;

SELECT * FROM dst ORDER BY host;

INSERT INTO dst (host, v, ts) SELECT host || '2', v * 2, ts FROM src WHERE v IS NOT NULL;

INSERT INTO dst (host, v, ts, note) VALUES (upper('x'), 1 + 2 * 3, '2024-01-01 00:00:00', concat('n', 'ote'));

SELECT * FROM dst ORDER BY host;

INSERT INTO dst (host, v, ts) WITH w AS (SELECT host, v FROM src) SELECT host, v, 0 FROM w WHERE host = 'a';

INSERT INTO dst (host, v) SELECT host, v FROM src;

INSERT INTO dst (host, v, ts) SELECT host, v FROM src;

INSERT INTO dst (host, v, ts) SELECT host, v, NULL FROM src;

-- A table into itself reads the rows of before.
INSERT INTO src SELECT host, v + 10, ts + INTERVAL '1 hour' FROM src WHERE v IS NOT NULL;

SELECT * FROM src;

SELECT count(*), max(ts) FROM dst;

CREATE TABLE cpu (host STRING PRIMARY KEY, util DOUBLE, cores INT, ts TIMESTAMP TIME INDEX);

-- A table without rows.
SELECT * FROM cpu;

SELECT count(*), sum(util), max(ts) FROM cpu;

INSERT INTO cpu VALUES ('b', 2.5, 4, 2000), ('a', 1.5, 2, 1000), ('a', 3.5, 2, 3000), (NULL, 0.5, 1, 1000), ('B', 9, 8, 500);

-- Without ORDER BY: by tags (NULL first, then bytes), then time.
SELECT * FROM cpu;

SELECT host, util FROM cpu WHERE util > 1 ORDER BY util DESC;

SELECT host, avg(util) AS mean, count(*) FROM cpu GROUP BY host ORDER BY host;

SELECT host FROM cpu ORDER BY host DESC LIMIT 2 OFFSET 1;

SELECT DISTINCT cores FROM cpu ORDER BY cores;

SELECT c.host, c.util, m.top FROM cpu c JOIN (SELECT host, max(util) AS top FROM cpu GROUP BY host) m ON c.host = m.host ORDER BY c.host, c.ts;

-- The same table twice.
SELECT x.host, y.ts FROM cpu x, cpu y WHERE x.host = y.host AND x.ts < y.ts;

SELECT host FROM cpu UNION SELECT 'z' ORDER BY host;

WITH busy AS (SELECT * FROM cpu WHERE util > 2) SELECT count(*) FROM busy;

SELECT 1, 'x', 1.5, NULL, true;

VALUES (1, 'a'), (2, 'b');

-- Time ranges, also empty ones.
SELECT * FROM cpu WHERE ts >= 1000 AND ts < 2000;

SELECT * FROM cpu WHERE ts > 2000 AND ts < 1000;

SELECT * FROM cpu WHERE host IN ('a', 'b') AND ts = 1000;

SELECT * FROM cpu WHERE host = 'nope';

SELECT * FROM cpu WHERE host IS NULL;

SELECT nope FROM cpu;

SELECT * FROM nope;

SELECT util FROM cpu WHERE host = 1 / 0;

SELECT nope();

SELEC 1;

EXPLODE;

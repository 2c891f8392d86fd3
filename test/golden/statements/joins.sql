CREATE TABLE cpu (host STRING PRIMARY KEY, v DOUBLE, ts TIMESTAMP(3) TIME INDEX);

CREATE TABLE hosts (host STRING PRIMARY KEY, owner_ STRING, ts TIMESTAMP(9) TIME INDEX);

INSERT INTO cpu VALUES ('a', 1, 1000), ('a', 2, 2000), ('b', 3, 1000), ('c', 4, 1000), (NULL, 5, 1000);

INSERT INTO hosts VALUES ('a', 'ann', 0), ('b', 'bob', 0), ('z', 'zoe', 0);

SELECT c.host, c.v, h.owner_ FROM cpu c JOIN hosts h ON c.host = h.host ORDER BY c.host, c.v;

SELECT c.host, h.owner_ FROM cpu c LEFT JOIN hosts h ON c.host = h.host ORDER BY c.v;

SELECT c.v, h.owner_ FROM cpu c RIGHT JOIN hosts h ON c.host = h.host ORDER BY h.owner_, c.v;

SELECT c.host, h.host FROM cpu c FULL JOIN hosts h ON c.host = h.host ORDER BY c.v, h.host;

SELECT count(*) FROM cpu CROSS JOIN hosts;

SELECT host, v, owner_ FROM cpu JOIN hosts USING (host) ORDER BY v;

SELECT host FROM cpu WHERE EXISTS (SELECT 1 FROM hosts WHERE hosts.host = cpu.host) ORDER BY v;

SELECT DISTINCT host FROM cpu WHERE host NOT IN (SELECT host FROM hosts) ORDER BY host;

SELECT host, v FROM cpu WHERE v = (SELECT max(v) FROM cpu);

-- Units of different columns compare as instants.
SELECT count(*) FROM cpu c JOIN hosts h ON c.ts > h.ts;

-- Pruning by time on both sides.
SELECT a.host, a.v, b.v FROM cpu a JOIN cpu b ON a.host = b.host WHERE a.ts = 1000 AND b.ts = 2000;

WITH latest AS (SELECT host, max(ts) AS at_ FROM cpu GROUP BY host) SELECT c.host, c.v FROM cpu c JOIN latest l ON c.host = l.host AND c.ts = l.at_ ORDER BY c.host;

SELECT host, v FROM cpu UNION ALL SELECT host, 0 FROM hosts ORDER BY host, v;

SELECT host FROM cpu INTERSECT SELECT host FROM hosts ORDER BY host;

SELECT host FROM cpu EXCEPT SELECT host FROM hosts ORDER BY host;

SELECT ambiguous.host FROM cpu;

SELECT ts FROM cpu a, hosts b;

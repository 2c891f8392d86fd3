CREATE TABLE m (host STRING PRIMARY KEY, i INT, u BIGINT UNSIGNED, f DOUBLE, b BOOLEAN, ts TIMESTAMP(3) TIME INDEX);

INSERT INTO m VALUES
  ('a', 1, 10, 1.5, true, '2024-01-01 00:00:00'),
  ('a', 2, 20, NULL, false, '2024-01-01 00:00:30'),
  ('a', NULL, 30, 2.5, NULL, '2024-01-01 00:01:00'),
  ('b', 4, 40, 'nan'::DOUBLE, true, '2024-01-01 00:01:30'),
  ('b', -5, NULL, -1, true, '2024-01-01 00:02:00');

SELECT count(*), count(i), count(DISTINCT host), sum(i), sum(u), min(i), max(i), avg(i) FROM m;

SELECT host, min(f), max(f), sum(f) FROM m GROUP BY host ORDER BY host;

SELECT sum(i), avg(f), max(ts), count(*) FROM m WHERE host = 'nobody';

SELECT host, count(*) AS n FROM m GROUP BY host HAVING count(*) > 2;

SELECT date_bin(INTERVAL '1 minute', ts) AS minute_, count(*), sum(i) FROM m GROUP BY minute_ ORDER BY minute_;

SELECT date_trunc('hour', ts) AS hour_, count(*) FROM m GROUP BY 1;

SELECT host, last_value(i ORDER BY ts) AS last_, first_value(i ORDER BY ts) AS first_ FROM m GROUP BY host ORDER BY host;

SELECT host, i, row_number() OVER (PARTITION BY host ORDER BY ts) AS n FROM m ORDER BY host, ts;

SELECT max(ts) - min(ts) FROM m;

SELECT i / 2, i % 2, u + 1, f * 2 FROM m WHERE host = 'a' ORDER BY ts;

SELECT host, i FROM m WHERE i IN (1, 4) OR f IS NULL ORDER BY i;

SELECT host FROM m WHERE host LIKE 'a%' AND b;

SELECT CASE WHEN i > 1 THEN 'big' WHEN i IS NULL THEN 'none' ELSE 'small' END AS size_, count(*) FROM m GROUP BY size_ ORDER BY size_;

SELECT coalesce(i, 0), upper(host), abs(i) FROM m ORDER BY ts LIMIT 3;

SELECT now() > '2020-01-01 00:00:00';

SELECT sum(host) FROM m;

SELECT host, i FROM m GROUP BY host;

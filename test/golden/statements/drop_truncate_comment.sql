CREATE TABLE a (v INT, ts TIMESTAMP TIME INDEX);

CREATE TABLE b (v INT, ts TIMESTAMP TIME INDEX);

INSERT INTO a VALUES (1, 1), (2, 2);

TRUNCATE TABLE a;

SELECT * FROM a;

INSERT INTO a VALUES (3, 1);

SELECT * FROM a;

TRUNCATE nope;

COMMENT ON TABLE a IS 'the first table';

COMMENT ON COLUMN a.v IS 'it''s a value';

SHOW CREATE TABLE a;

SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = 'public';

COMMENT ON COLUMN a.v IS NULL;

COMMENT ON TABLE a IS NULL;

COMMENT ON COLUMN a.nope IS 'x';

COMMENT ON TABLE nope IS 'x';

COMMENT ON FLOW f IS 'x';

SHOW CREATE TABLE a;

-- A misspelt name drops nothing.
DROP TABLE a, nope;

SHOW TABLES;

DROP TABLE IF EXISTS nope, b;

DROP TABLE a;

DROP TABLE a;

DROP TABLE IF EXISTS a;

DROP TABLE information_schema.tables;

DROP VIEW v;

DROP VIEW IF EXISTS v;

DROP FLOW f;

SHOW TABLES;

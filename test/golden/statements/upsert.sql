CREATE TABLE last_row (host STRING PRIMARY KEY, a INT, b INT, ts TIMESTAMP TIME INDEX);

INSERT INTO last_row VALUES ('x', 1, 1, 1000);

INSERT INTO last_row VALUES ('x', 2, NULL, 1000);

SELECT * FROM last_row;

-- Affected rows count what was supplied, even if the rows collapse.
INSERT INTO last_row VALUES ('y', 1, 1, 1), ('y', 2, 2, 1), ('y', 3, 3, 1);

REPLACE INTO last_row VALUES ('y', 4, 4, 1);

SELECT * FROM last_row;

ADMIN flush_table('last_row');

INSERT INTO last_row (host, a, ts) VALUES ('y', 5, 1);

SELECT * FROM last_row WHERE b IS NULL;

SELECT * FROM last_row WHERE b = 4;

CREATE TABLE non_null (host STRING PRIMARY KEY, a INT, b INT, ts TIMESTAMP TIME INDEX) WITH (merge_mode = 'last_non_null');

INSERT INTO non_null VALUES ('x', 1, 1, 1000);

INSERT INTO non_null VALUES ('x', 2, NULL, 1000);

INSERT INTO non_null VALUES ('x', NULL, 3, 1000);

SELECT * FROM non_null;

SELECT * FROM non_null WHERE b = 1;

CREATE TABLE appended (host STRING PRIMARY KEY, a INT, ts TIMESTAMP TIME INDEX) WITH (append_mode = 'true');

INSERT INTO appended VALUES ('x', 1, 1000), ('x', 2, 1000);

INSERT INTO appended VALUES ('x', 1, 1000);

SELECT * FROM appended ORDER BY a;

-- Without a primary key the time alone is the identity.
CREATE TABLE no_key (host STRING, ts TIMESTAMP TIME INDEX);

INSERT INTO no_key VALUES ('x', 1), ('y', 1);

SELECT * FROM no_key;

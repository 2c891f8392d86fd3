SHOW DATABASES;

CREATE DATABASE metrics;

CREATE DATABASE metrics;

CREATE DATABASE IF NOT EXISTS metrics;

CREATE DATABASE information_schema;

CREATE DATABASE 'my-db' WITH (ttl = '90m', append_mode = 'true');

CREATE DATABASE bad WITH (colour = 'red');

CREATE DATABASE bad WITH (ttl = 'instant');

CREATE DATABASE bad WITH (append_mode = 'true', merge_mode = 'last_row');

SHOW FULL DATABASES;

SHOW DATABASES LIKE 'm%';

SHOW DATABASES WHERE Database = 'public';

SHOW CREATE DATABASE metrics;

SHOW CREATE DATABASE "my-db";

SHOW CREATE DATABASE nope;

ALTER DATABASE metrics SET 'ttl' = '7d';

SHOW CREATE DATABASE metrics;

ALTER DATABASE metrics SET 'colour' = 'red';

ALTER DATABASE metrics SET 'ttl' = 'instant';

ALTER DATABASE nope SET 'ttl' = '7d';

USE metrics;

CREATE TABLE t (v DOUBLE, ts TIMESTAMP TIME INDEX);

SHOW TABLES;

-- The database's ttl stands in for the table's.
SHOW CREATE TABLE t;

ALTER DATABASE metrics UNSET 'ttl';

SHOW CREATE TABLE t;

DROP DATABASE metrics;

USE "my-db";

-- Options other than ttl are copied when the table is made.
CREATE TABLE copied (v DOUBLE, ts TIMESTAMP TIME INDEX);

SHOW CREATE TABLE copied;

USE public;

USE nope;

SELECT * FROM metrics.t;

INSERT INTO metrics.t VALUES (1, 1);

SELECT * FROM greptime.metrics.t;

SELECT * FROM other.metrics.t;

DROP DATABASE metrics;

DROP DATABASE metrics;

DROP DATABASE IF EXISTS metrics;

SELECT * FROM metrics.t;

DROP DATABASE information_schema;

DROP DATABASE "my-db";

SHOW DATABASES;

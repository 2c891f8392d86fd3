-- Unquoted names fold to lower case; quoted ones keep theirs, and case matters.
CREATE TABLE MixedCase (HostName STRING PRIMARY KEY, "CpuLoad" DOUBLE, cpuload INT, TS TIMESTAMP TIME INDEX);

SHOW TABLES;

INSERT INTO mixedcase (hostname, "CpuLoad", CPULOAD, ts) VALUES ('a', 1.5, 2, 1);

SELECT * FROM MIXEDCASE;

SELECT "CpuLoad", cpuload, CpuLoad FROM mixedcase;

SELECT "cpuLoad" FROM mixedcase;

SELECT * FROM "MixedCase";

INSERT INTO mixedcase ("cpuLoad", ts) VALUES (1, 1);

CREATE TABLE "weird ""name" (ts TIMESTAMP TIME INDEX);

CREATE TABLE "weird-name.v1" ("a b" INT, "c""d" STRING, "ts" TIMESTAMP TIME INDEX);

INSERT INTO "weird-name.v1" VALUES (1, 'x', 1);

SELECT "a b", "c""d" FROM "weird-name.v1";

SELECT `a b` FROM `weird-name.v1`;

ADMIN flush_table('weird-name.v1');

SELECT * FROM public."weird-name.v1";

SELECT * FROM greptime.public."weird-name.v1";

DROP TABLE "weird-name.v1";

CREATE TABLE kw ("value" DOUBLE, "timestamp" TIMESTAMP TIME INDEX, "time" INT, "select" INT);

INSERT INTO kw (value, timestamp, time, "select") VALUES (1, 2, 3, 4);

SELECT value, timestamp, "time", "select" FROM kw;

SELECT value FROM kw WHERE value > 0 ORDER BY timestamp;

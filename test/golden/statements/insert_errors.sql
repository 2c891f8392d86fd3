CREATE TABLE t (host STRING NOT NULL, v DOUBLE, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host));

INSERT INTO t VALUES ('a', 1);

INSERT INTO t VALUES ('a', 1, 1), ('b', 2);

INSERT INTO t (host, ts) VALUES ('a', 1, 1);

INSERT INTO t (host, nope, ts) VALUES ('a', 1, 1);

INSERT INTO t (host, host, ts) VALUES ('a', 'b', 1);

INSERT INTO t (host, v) VALUES ('a', 1);

INSERT INTO t (v, ts) VALUES (1, 1);

INSERT INTO t VALUES (NULL, 1, 1);

INSERT INTO t VALUES ('a', 1, 1), ('b', 1, NULL);

INSERT INTO t VALUES (DEFAULT, 1, 1);

INSERT INTO nope VALUES (1);

INSERT INTO nowhere.t VALUES (1);

INSERT INTO information_schema.tables VALUES (1);

INSERT INTO t VALUES ('a', 1, 1)) ;

INSERT INTO t VALUES ('a', 'x' || 'y', 1);

INSERT INTO t SELECT 'a', 1;

SELECT count(*) FROM t;

CREATE TABLE t (
  host STRING DEFAULT 'nobody', v DOUBLE DEFAULT 0.5, n INT, must BIGINT NOT NULL DEFAULT 42,
  seen TIMESTAMP(9) DEFAULT now(), ts TIMESTAMP DEFAULT current_timestamp() TIME INDEX,
  PRIMARY KEY (host)
);

INSERT INTO t (n) VALUES (1);

INSERT INTO t (host, ts) VALUES ('a', 1), ('b', 2);

INSERT INTO t VALUES (DEFAULT, default, DEFAULT, DEFAULT, DEFAULT, 3);

INSERT INTO t VALUES ('c', NULL, NULL, 7, NULL, 4);

-- With an expression the rows go through the engine; DEFAULT means the same.
INSERT INTO t (host, v, must, ts) VALUES ('d', DEFAULT, 1 + 1, 5), (DEFAULT, 1, DEFAULT, 6);

SELECT * FROM t ORDER BY ts;

INSERT INTO t (must) VALUES (NULL);

CREATE TABLE t (host STRING PRIMARY KEY, v INT, ts TIMESTAMP TIME INDEX);

INSERT INTO t VALUES ('a', 1, 1), ('b', 2, 2);

ADMIN flush_table('t');

ADMIN FLUSH_TABLE('public.t');

ADMIN compact_table('t');

ADMIN compact_table('t', 'strict_window', '3600');

ADMIN compact_table('t', 'swcs', 'window=3600,parallelism=2');

ADMIN compact_table('t', 'sideways');

ADMIN compact_table('t', 'regular', 'colour=1');

ADMIN flush_region(4398046511104);

ADMIN compact_region(4398046511104);

ADMIN flush_region(1);

ADMIN flush_region('x');

ADMIN flush_table();

ADMIN flush_table('nope');

ADMIN make_coffee();

SELECT * FROM t;

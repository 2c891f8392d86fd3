CREATE TABLE ints (ts TIMESTAMP TIME INDEX, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, u8 UINT8, u16 UINT16, u32 UINT32, u64 UINT64);

INSERT INTO ints VALUES
  (1, -128, -32768, -2147483648, -9223372036854775808, 0, 0, 0, 0),
  (2, 127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

SELECT * FROM ints;

INSERT INTO ints (ts, i8) VALUES (4, 128);

INSERT INTO ints (ts, i8) VALUES (4, 1), (5, -129);

INSERT INTO ints (ts, u8) VALUES (4, -1);

INSERT INTO ints (ts, i64) VALUES (4, 9223372036854775808);

INSERT INTO ints (ts, u64) VALUES (4, 18446744073709551616);

INSERT INTO ints (ts, i32) VALUES (4, 1.5);

INSERT INTO ints (ts, i32) VALUES (4, '1');

INSERT INTO ints (ts, i32) VALUES (4, true);

-- None of the refused statements left a row behind.
SELECT count(*) FROM ints;

CREATE TABLE floats (ts TIMESTAMP TIME INDEX, f32 FLOAT, f64 DOUBLE);

INSERT INTO floats VALUES (1, 0.1, 0.1), (2, -0.0, 5), (3, 1e30, 1e300), (4, .5, 2.), (5, 16777217, 9007199254740993);

INSERT INTO floats VALUES (6, 'nan'::DOUBLE, 'inf'::DOUBLE), (7, NULL, '-inf'::DOUBLE);

SELECT * FROM floats;

INSERT INTO floats (ts, f64) VALUES (8, '1.5');

CREATE TABLE bools (ts TIMESTAMP TIME INDEX, b BOOLEAN);

INSERT INTO bools VALUES (1, true), (2, FALSE), (3, NULL);

SELECT * FROM bools;

INSERT INTO bools VALUES (4, 1);

INSERT INTO bools VALUES (4, 'true');

CREATE TABLE texts (ts TIMESTAMP TIME INDEX, s STRING, bin VARBINARY);

INSERT INTO texts VALUES (1, '', ''), (2, 'it''s', 'abc'), (3, '日本 😀', X'00ff10'), (4, NULL, NULL), (5, 'back\slash', 0xDEADBEEF);

SELECT * FROM texts;

-- A quoted identifier as a value of INSERT is a string.
INSERT INTO texts (ts, s) VALUES (6, "double");

SELECT s FROM texts WHERE ts = 6;

INSERT INTO texts (ts, s) VALUES (7, 12);

INSERT INTO texts (ts, s) VALUES (7, 1.5);

INSERT INTO texts (ts, s) VALUES (7, true);

INSERT INTO texts (ts, bin) VALUES (7, X'abc');

CREATE TABLE dates (ts TIMESTAMP TIME INDEX, d DATE);

INSERT INTO dates VALUES (1, '2024-02-29'), (2, '1969-12-31'), (3, '0001-01-01'), (4, NULL);

SELECT * FROM dates;

INSERT INTO dates VALUES (5, '2023-02-29');

INSERT INTO dates VALUES (5, 'yesterday');

INSERT INTO dates VALUES (5, 19000);

CREATE TABLE decimals (ts TIMESTAMP TIME INDEX, d DECIMAL(10, 2), big DECIMAL(38, 10));

INSERT INTO decimals VALUES (1, 1.5, 1234567890123456789012345678.0123456789), (2, '-0.01', '1e3'), (3, 99999999.99, 0), (4, NULL, NULL);

SELECT * FROM decimals;

INSERT INTO decimals (ts, d) VALUES (5, 100000000);

INSERT INTO decimals (ts, d) VALUES (5, 'x');

CREATE TABLE jsons (ts TIMESTAMP TIME INDEX, j JSON);

INSERT INTO jsons VALUES (1, '{"b": [1, 2.50, null], "a": {"z": 1, "y": "é"}}'), (2, '[]'), (3, 'null'), (4, NULL), (5, '12345678901234567890');

SELECT * FROM jsons;

INSERT INTO jsons VALUES (6, '{"a": }');

INSERT INTO jsons VALUES (6, 1);

CREATE TABLE vectors (ts TIMESTAMP TIME INDEX, v VECTOR(3));

INSERT INTO vectors VALUES (1, '[1.0, -2, 0.5]'), (2, NULL);

SELECT * FROM vectors;

INSERT INTO vectors VALUES (3, '[1, 2]');

INSERT INTO vectors VALUES (3, '[1, 2, x]');

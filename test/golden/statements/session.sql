SELECT database(), version();

CREATE DATABASE other;

USE other;

SELECT database();

SHOW TABLES;

SET TIME ZONE '+8:00';

SHOW VARIABLES time_zone;

SHOW VARIABLES system_time_zone;

SET time_zone = 'SYSTEM';

SHOW VARIABLES time_zone;

SET time_zone = 'nowhere';

SET max_execution_time = 5000;

SHOW VARIABLES max_execution_time;

SET max_execution_time = 'soon';

SET statement_timeout = '2s';

SHOW VARIABLES statement_timeout;

SET search_path = public;

SELECT database();

SET search_path = nope;

SET client_encoding = 'UTF8';

SET client_encoding = 'LATIN1';

SET unknown_name = 1;

KILL 'nobody/1';

KILL QUERY 99999;

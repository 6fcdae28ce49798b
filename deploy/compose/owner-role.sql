-- Makes the role that owns the database and everything in it, so that the service needs no superuser. Run by psql as the superuser, with
-- the variable `password`: by the image when it makes the database, and by owner.sh for an installation of 1.0. The superuser that made a
-- cluster cannot become an ordinary role, and REASSIGN OWNED refuses it, so each object gets its new owner by itself.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL lock_timeout = '5s';
SELECT 'CREATE ROLE petstore_owner' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'petstore_owner') \gexec
ALTER ROLE petstore_owner LOGIN NOSUPERUSER PASSWORD :'password';
ALTER DATABASE petstore OWNER TO petstore_owner;
-- A sequence or type that belongs to a table changes its owner with the table; an extension keeps its own.
WITH own AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
     part AS (SELECT objid FROM pg_depend WHERE deptype IN ('a', 'i', 'e')),
     mine AS (
  SELECT format('TABLE %s', oid::regclass) AS it FROM pg_class
   WHERE relnamespace IN (TABLE own) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND relowner = 10 AND oid NOT IN (TABLE part)
   UNION ALL
  SELECT format('ROUTINE %s', oid::regprocedure) FROM pg_proc
   WHERE pronamespace IN (TABLE own) AND proowner = 10 AND oid NOT IN (TABLE part)
   UNION ALL
  SELECT format('TYPE %s', oid::regtype) FROM pg_type
   WHERE typnamespace IN (TABLE own) AND typowner = 10 AND typtype IN ('e', 'd', 'r') AND oid NOT IN (TABLE part)
   UNION ALL
  SELECT format('SCHEMA %I', nspname) FROM pg_namespace WHERE oid IN (TABLE own) AND nspowner = 10)
SELECT format('ALTER %s OWNER TO petstore_owner', it) FROM mine \gexec
COMMIT;

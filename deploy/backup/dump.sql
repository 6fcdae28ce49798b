-- Run by psql, with descriptor 3 for the dump. The ids of events depend on the order of the outbox alone, so that restoring
-- assigns the ids that receivers know: for that, the snapshot is taken while no transaction is writing to the outbox.
\set ON_ERROR_STOP on
\set VERBOSITY terse
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET LOCAL lock_timeout = '1s';
SAVEPOINT quiet;
LOCK TABLE public.event_outbox IN SHARE MODE; -- some milliseconds: writers wait
SELECT 1; -- takes the snapshot
ROLLBACK TO SAVEPOINT quiet; -- gives the lock back, and keeps the snapshot
RELEASE SAVEPOINT quiet;
SELECT pg_catalog.pg_export_snapshot() AS snapshot \gset
\setenv SNAPSHOT :snapshot
\set complete `pg_dump --dbname="$URL" --format=custom --snapshot="$SNAPSHOT" >&3 && echo 1 || echo 0`
\if :complete
COMMIT;
\else
DO $$ BEGIN RAISE 'pg_dump failed'; END $$;
\endif

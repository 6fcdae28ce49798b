-- All that is in the database, also what the version of the backup did not have.
SET LOCAL client_min_messages = warning;
DO $$
DECLARE one name;
BEGIN
  FOR one IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', one);
  END LOOP;
END $$;
CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC; -- as in a new database

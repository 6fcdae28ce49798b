-- Ids that were assigned after the backup are known to clients, to receivers of webhooks, to readers of the feed and to
-- Redis, and stand for what is lost. None of them is assigned again: a receiver would take a new event for an old one.
-- Run by `petstore new-ids`, also beside a running service, and by deploy/backup/restore.sh.
DO $$
DECLARE
  gap CONSTANT bigint := 1000000000; -- more than a day of 10,000 in a second
  one record;
BEGIN
  -- Events of the outbox get the ids that they got after the backup (dump.sql), before the gap.
  IF to_regclass('event_feed') IS NOT NULL THEN
    PERFORM FROM event_feed FOR UPDATE; -- as the service does when it assigns ids
    WITH waiting AS (
      DELETE FROM event_outbox RETURNING *
    ), moved AS (
      INSERT INTO events (id, type, version, occurred_at, data)
      SELECT last_id + row_number() OVER (ORDER BY waiting.id), type, version, occurred_at, data
      FROM waiting, event_feed
      RETURNING id
    )
    UPDATE event_feed SET last_id = last_id + (SELECT count(*) FROM moved) + gap;
  END IF;
  FOR one IN
    SELECT format('%I.%I', schemaname, sequencename) AS name, coalesce(last_value, 0) AS last
    FROM pg_catalog.pg_sequences WHERE schemaname = current_schema() AND data_type = 'bigint'::regtype
  LOOP
    PERFORM pg_catalog.setval(one.name::regclass, one.last + gap);
  END LOOP;
END $$;

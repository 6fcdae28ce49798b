-- Ids that were assigned after the backup are known to clients, to receivers of webhooks, to readers of the feed and to
-- Redis, and stand for what is lost. None of them is assigned again: a receiver would take a new event for an old one.
-- Nor is one that was assigned after another restore, of this copy or of another one: the next ids follow from the time alone.
-- Run by `petstore new-ids`, also beside a running service, and by deploy/backup/restore.sh.
DO $$
DECLARE
  -- More than any copy has reached by now, with at most 10,000 in a second since 2026 began.
  unreached CONSTANT bigint := 10000 * extract(epoch FROM clock_timestamp() - timestamptz '2026-01-01 00:00:00+00');
  gap CONSTANT bigint := 1000000000; -- for ids that began higher: more than a day of as many
  -- An integer, TypeORM's default, has room for one in a second until 2094.
  unreached_integer CONSTANT bigint := unreached / 10000;
  integer_gap CONSTANT bigint := 10000000;
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
    UPDATE event_feed SET last_id = last_id + (SELECT count(*) FROM moved);
    UPDATE event_feed SET last_id = CASE WHEN last_id < unreached THEN unreached ELSE last_id + gap END;
  END IF;
  FOR one IN
    SELECT format('%I.%I', schemaname, sequencename) AS name, max_value,
      CASE WHEN last < least_next THEN least_next ELSE last + skipped END AS next
    FROM pg_catalog.pg_sequences
      JOIN (VALUES ('bigint'::regtype, unreached, gap), ('integer'::regtype, unreached_integer, integer_gap),
                   ('smallint'::regtype, unreached_integer, integer_gap))
        AS ids (type, least_next, skipped) ON data_type = type,
      coalesce(last_value, 0) AS last
    WHERE schemaname = current_schema() AND increment_by > 0
  LOOP
    IF one.next <= one.max_value THEN
      PERFORM pg_catalog.setval(one.name::regclass, one.next);
    ELSE
      RAISE WARNING '% has no room for other ids than those after the backup: it goes on where the copy ends', one.name;
    END IF;
  END LOOP;
END $$;

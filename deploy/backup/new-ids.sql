-- Ids that were assigned after the backup are known to clients, to receivers of webhooks, to readers of the feed and to
-- Redis, and stand for what is lost. None of them is assigned again: a receiver would take a new event for an old one.
DO $$
DECLARE
  gap CONSTANT bigint := 1000000000; -- more than a day of 10,000 in a second
  one record;
BEGIN
  -- Events of the outbox get the ids that they got after the backup (dump.sql), before the gap.
  IF to_regclass('public.event_feed') IS NOT NULL THEN
    INSERT INTO public.events (id, type, version, occurred_at, data)
    SELECT last_id + row_number() OVER (ORDER BY waiting.id), type, version, occurred_at, data
    FROM public.event_outbox AS waiting, public.event_feed;
    UPDATE public.event_feed SET last_id = last_id + (SELECT count(*) FROM public.event_outbox) + gap;
    DELETE FROM public.event_outbox;
  END IF;
  FOR one IN
    SELECT format('%I.%I', schemaname, sequencename) AS name, coalesce(last_value, 0) AS last
    FROM pg_catalog.pg_sequences WHERE schemaname = 'public' AND data_type = 'bigint'::regtype
  LOOP
    PERFORM pg_catalog.setval(one.name::regclass, one.last + gap);
  END LOOP;
END $$;

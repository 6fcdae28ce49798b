-- The tables of the peers when the service itself, whose migrations create them, is not measured.
CREATE TABLE pets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text NOT NULL
);
CREATE INDEX pets_status_id ON pets (status, id);
CREATE TABLE event_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text NOT NULL,
  version smallint NOT NULL,
  occurred_at timestamptz NOT NULL,
  data json NOT NULL
);

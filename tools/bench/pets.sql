-- The table our service's migrations would have made; read only when our service does not take part.
CREATE TABLE pets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text NOT NULL
);
CREATE INDEX pets_status_id ON pets (status, id);

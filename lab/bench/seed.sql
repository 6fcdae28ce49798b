-- The rows every server reads, and the table in which the stock Nest peer looks up its API key.
INSERT INTO pets (name, category_id, status)
SELECT 'Pet ' || n, n % 50, (ARRAY['available', 'pending', 'sold'])[n % 3 + 1]
FROM generate_series(1, 10000) AS n;
CREATE TABLE bench_api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash text NOT NULL UNIQUE,
  name text NOT NULL
);
ANALYZE;

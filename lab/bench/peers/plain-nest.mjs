// The same work as the Fastify peer, in plain Nest on Express: guards of its own, ValidationPipe, named statements, a log line, a
// request id, ETags with 304, links and `Location`. It shows what the stack itself costs. It is plain JavaScript, so decorators are
// called as functions.
import 'reflect-metadata';
import { hash } from 'node:crypto';
import * as nest from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { countRequest } from './count-request.mjs';
import { logRequests } from './log-requests.mjs';
import { createPet, getPet, listPets } from './statements.mjs';

const statuses = ['available', 'pending', 'sold'];

/** Decorates the properties of a DTO. */
function decorate({ prototype }, properties) {
  for (const [name, decorators] of Object.entries(properties))
    for (const decorator of decorators) decorator(prototype, name);
}

class ListPetsQuery {
  limit = 20;
  status = 'available';
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
  async list({ status, limit, cursor, ids }, response) {
    if (ids !== undefined) return getPet(ids);
    const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url'));
    const pets = await listPets(status, after, limit + 1);
    if (pets.length <= limit) return pets;
    pets.pop();
    const next = Buffer.from(String(pets.at(-1).id)).toString('base64url');
    const query = new URLSearchParams({ status, limit, cursor: next });
    response.setHeader('Link', `<${origin}/v1/pets?${query}>; rel="next"`);
    return pets;
  }
  async create(body, response) {
    const created = await createPet(body);
    response.setHeader('Location', `/v1/pets/${created.id}`);
    return created;
  }
}
nest.Controller('v1/pets')(PetsController);
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

const keys = new Map([[hash('sha256', process.env.BENCH_API_KEY), { id: 1, perMinute: 100_000_000 }]]);

class KeyGuard {
  canActivate(context) {
    const request = context.switchToHttp().getRequest();
    const authorization = request.headers.authorization ?? '';
    request.key = authorization.startsWith('Bearer ') && keys.get(hash('sha256', authorization.slice(7)));
    if (!request.key) throw new nest.UnauthorizedException();
    return true;
  }
}
nest.Injectable()(KeyGuard);

class QuotaGuard {
  canActivate(context) {
    const http = context.switchToHttp();
    countRequest(http.getRequest(), http.getResponse());
    return true;
  }
}
nest.Injectable()(QuotaGuard);

class JsonAdapter extends ExpressAdapter {
  reply(response, body, status) {
    if (status) response.statusCode = status;
    const text = JSON.stringify(body);
    if (response.statusCode < 300) {
      const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
      response.setHeader('ETag', etag);
      response.setHeader('Cache-Control', 'private, no-cache');
      if (response.req.headers['if-none-match']?.includes(etag)) {
        response.statusCode = 304;
        return response.end();
      }
    }
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }
}

class AppModule {}
nest.Module({
  controllers: [PetsController],
  providers: [
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useClass: QuotaGuard },
    { provide: APP_PIPE, useValue: new nest.ValidationPipe({ transform: true, whitelist: true }) },
  ],
})(AppModule);

const app = await NestFactory.create(AppModule, new JsonAdapter(), { logger: ['error'] });
app.use(logRequests);
await app.listen(Number(process.env.PORT), process.env.HOST);
const origin = await app.getUrl();

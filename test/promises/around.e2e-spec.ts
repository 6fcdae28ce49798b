import { Body, Controller, Get, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { RequireScope } from '../../src/auth/require-scope.decorator.js';
import { type Around, UseAround } from '../../src/http/around.decorator.js';
import { CreatePetDto } from '../../src/pets/dto/create-pet.dto.js';
import { Petstore } from '../support/petstore.js';

/** Answers with what it saw and what the handler said. */
@Injectable()
class Witness implements Around {
  async around({ method, path }: Request, _response: Response, handle: () => unknown): Promise<unknown> {
    return { saw: `${method} ${path}`, said: await handle() };
  }
}

@Controller({ path: 'wrapped', version: '1' })
class WrappedController {
  private readonly word = 'hello';

  @RequireScope('pets:write')
  @Post('above')
  @HttpCode(202)
  @UseAround(Witness)
  above(@Body() { name }: CreatePetDto): string {
    return `${this.word} ${name}`;
  }

  @UseAround(Witness)
  @HttpCode(202)
  @Post('below')
  @RequireScope('pets:write')
  below(@Body() { name }: CreatePetDto): string {
    return `${this.word} ${name}`;
  }

  @Get('failing')
  @UseAround(Witness)
  failing(): string {
    throw new Error('by intention');
  }
}

@Module({ controllers: [WrappedController], providers: [Witness] })
class WrappedModule {}

describe('@UseAround()', () => {
  let petstore: Petstore;
  let key: string;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [WrappedModule] });
    key = await petstore.key();
  });
  afterAll(() => petstore.stop());

  const paths = ['/v1/wrapped/above', '/v1/wrapped/below'];

  it.each(paths)('works around a handler, wherever the other decorators stand: %s', async (path) => {
    const answer = await petstore.client(key).post(path).send({ name: 'Rex', categoryId: 1 });
    expect(answer).toMatchObject({ status: 202, body: { saw: `POST ${path}`, said: 'hello Rex' } });
  });

  it.each(paths)('leaves validation before the handler: %s', async (path) => {
    const answer = await petstore.client(key).post(path).send({ name: '', categoryId: 1 });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it.each(paths)('leaves the required scope required: %s', async (path) => {
    const { secret } = await petstore.app
      .get(ApiKeysService)
      .create({ name: 'reader', plan: 'free', scopes: ['pets:read'] });
    const answer = await petstore.client(secret).post(path).send({ name: 'Rex', categoryId: 1 });
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('leaves to the filter what the handler throws', async () => {
    const answer = await petstore.client(key).get('/v1/wrapped/failing');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  });
});

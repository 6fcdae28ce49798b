import { Controller, Get, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Petstore } from '../support/petstore.js';

@Controller({ path: 'own', version: '1' })
class OwnController {
  @Get()
  read(): object {
    return { passed: true };
  }
}

/** A user's module with Nest middleware. */
@Module({ controllers: [OwnController] })
class OwnModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(mark('X-Everywhere')).forRoutes('{*path}');
    consumer.apply(mark('X-Own')).forRoutes('/v1/own');
  }
}

const mark = (header: string) => (_: Request, response: Response, next: NextFunction) => {
  response.setHeader(header, 'yes');
  next();
};

describe('middleware of a module', () => {
  let petstore: Petstore;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [OwnModule] });
  });
  afterAll(() => petstore.stop());

  it.each([
    ['/v1/own', 'yes'],
    ['/v1/events', undefined],
  ])('runs before the routes it applies to: %s', async (path, own) => {
    const { status, headers } = await petstore.client(await petstore.key()).get(path);
    expect({ status, everywhere: headers['x-everywhere'], own: headers['x-own'] }).toEqual({
      status: 200,
      everywhere: 'yes',
      own,
    });
  });
});

import { Controller, Get, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { Request } from 'express';
import type { Topic } from './topics.js';

@Injectable({ scope: Scope.REQUEST })
class RequestInfo {
  constructor(@Inject(REQUEST) private readonly request: Request) {}

  get path(): string {
    return this.request.path;
  }
}

@Controller({ path: 'on-providers', version: '1' })
class ProvidersController {
  constructor(
    private readonly info: RequestInfo,
    @Inject('GREETING') private readonly greeting: string,
  ) {}

  @Get('request-scoped')
  requestScoped(): { path: string; greeting: string } {
    return { path: this.info.path, greeting: this.greeting };
  }
}

@Controller({ path: 'on-providers/imported', version: '1' })
class ImportedController {
  @Get()
  get(): object {
    return { imported: true };
  }
}

@Module({ controllers: [ImportedController] })
class ImportedModule {}

@Module({
  imports: [ImportedModule],
  controllers: [ProvidersController],
  providers: [RequestInfo, { provide: 'GREETING', useFactory: () => Promise.resolve('hello') }],
})
class ProvidersModule {}

export const providers: Topic = {
  name: 'with providers',
  module: ProvidersModule,
  tests(scene) {
    it('gets request-scoped and asynchronous providers', async () => {
      const response = await scene().client.get('/v1/on-providers/request-scoped');
      expect(response).toMatchObject({
        status: 200,
        body: { path: '/v1/on-providers/request-scoped', greeting: 'hello' },
      });
    });

    it('has the routes of a module that it imports', async () => {
      const response = await scene().client.get('/v1/on-providers/imported');
      expect(response).toMatchObject({ status: 200, body: { imported: true } });
    });
  },
};

import {
  type ArgumentsHost,
  BadGatewayException,
  BadRequestException,
  type CanActivate,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  ForbiddenException,
  GatewayTimeoutException,
  Get,
  GoneException,
  HttpException,
  ImATeapotException,
  Inject,
  InternalServerErrorException,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  NotAcceptableException,
  NotFoundException,
  NotImplementedException,
  Param,
  PayloadTooLargeException,
  Post,
  PreconditionFailedException,
  RequestTimeoutException,
  Res,
  ServiceUnavailableException,
  UnauthorizedException,
  UnprocessableEntityException,
  UnsupportedMediaTypeException,
  UploadedFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { FileInterceptor } from '@nestjs/platform-express';
import { ThrottlerException } from '@nestjs/throttler';
import express, { type NextFunction, type Request, type Response } from 'express';
import { EntityNotFoundError } from 'typeorm';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { expectErrorBody, expectPromisedHeaders, expectErrorResponse } from '../support/promises.js';
import { bearer, type Message, send, sendBytes, requestBytes, valuesOf } from '../support/wire.js';
import type { Topic } from './topics.js';

/** What a handler throws, by the name in its path. */
const THROWN: Record<string, () => unknown> = {
  'bad-request': () => new BadRequestException(),
  'bad-request-text': () => new BadRequestException('The moon is not full'),
  'bad-request-list': () => new BadRequestException(['too small', 'too red']),
  'bad-request-code': () =>
    new BadRequestException({ code: 'moon_not_full', message: 'The moon is not full' }),
  'bad-request-codes': () => new BadRequestException({ code: 'two', message: ['too small', 'too red'] }),
  'bad-request-object': () => new BadRequestException({ reason: 'none' }),
  'error-code': () => new BadRequestException('The moon is not full', { errorCode: 'moon_not_full' }),
  description: () => new BadRequestException('The moon is not full', 'Some description'),
  unauthorized: () => new UnauthorizedException('Log in to the moon'),
  'payment-required': () => new HttpException('Pay first', 402),
  forbidden: () => new ForbiddenException('Not yours'),
  'not-found': () => new NotFoundException('No such moon'),
  'not-acceptable': () => new NotAcceptableException('No'),
  'request-timeout': () => new RequestTimeoutException(),
  conflict: () => new ConflictException('The name is taken'),
  gone: () => new GoneException('It has set'),
  'precondition-failed': () => new PreconditionFailedException('It has changed'),
  'payload-too-large': () => new PayloadTooLargeException('A file may have 1 MB'),
  'unsupported-media-type': () => new UnsupportedMediaTypeException('Only PNG'),
  teapot: () => new ImATeapotException(),
  unprocessable: () => new UnprocessableEntityException('It contradicts itself'),
  locked: () => new HttpException('Locked', 423),
  'too-many': () => new HttpException('Slowly', 429),
  throttled: () => new ThrottlerException(),
  legal: () => new HttpException('Forbidden by law', 451),
  unknown: () => new HttpException('Strange', 499),
  internal: () => new InternalServerErrorException('SELECT password FROM moon'),
  'internal-code': () => new HttpException({ code: 'leak', message: '/home/leak.ts' }, 500),
  'not-implemented': () => new NotImplementedException('Not on this planet'),
  'bad-gateway': () => new BadGatewayException('The moon does not respond'),
  unavailable: () => new ServiceUnavailableException('The moon is down'),
  'gateway-timeout': () => new GatewayTimeoutException(),
  cause: () => new ConflictException('The name is taken', { cause: new Error('duplicate key of the moon') }),
  'an-error': () => new HttpException(new Error('SELECT 1') as never, 409),
  'http-error': () => Object.assign(new Error('Too big'), { status: 413, statusCode: 413, expose: true }),
  'hidden-http-error': () =>
    Object.assign(new Error('/etc/passwd'), { status: 404, statusCode: 404, expose: false }),
  'server-http-error': () =>
    Object.assign(new Error('/etc/passwd'), { status: 502, statusCode: 502, expose: false }),
  'axios-error': () => Object.assign(new Error('/etc/passwd'), { status: 404, response: { status: 404 } }),
  'plain-object': () => ({ statusCode: 409, message: 'Taken' }),
  'other-object': () => ({ secret: '/etc/passwd' }),
  nothing: () => undefined,
  null: () => null,
  number: () => 404,
  domain: () => new DomainError('conflict', 'moon_taken', 'The moon is taken.'),
  'no-entity': () => new EntityNotFoundError('Moon', { id: 1 }),
};

class Closed implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

class Angry implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException('Go away');
  }
}

class MoonError extends Error {}
class SunError extends Error {}
class StarError extends Error {}
class CometError extends Error {}

@Catch(MoonError)
class MoonFilter implements ExceptionFilter<MoonError> {
  catch({ message }: MoonError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response.status(418).json({ moon: message, type: host.getType() });
  }
}

/** A global one, as a provider. */
@Catch(SunError)
class SunFilter implements ExceptionFilter<SunError> {
  constructor(@Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost) {}

  catch({ message }: SunError, host: ArgumentsHost): void {
    this.adapters.httpAdapter.reply(host.switchToHttp().getResponse(), { sun: message }, 420);
  }
}

/** As in "Inheritance" of the documentation. */
@Catch()
class StarFilter extends BaseExceptionFilter {
  override catch(exception: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response.setHeader('X-Star', 'yes');
    super.catch(exception instanceof StarError ? new ConflictException(exception.message) : exception, host);
  }
}

/** One that asks something else first. */
@Catch(CometError)
class CometFilter implements ExceptionFilter<CometError> {
  async catch({ message }: CometError, host: ArgumentsHost): Promise<void> {
    await Promise.resolve();
    host.switchToHttp().getResponse<Response>().status(418).json({ comet: message });
  }
}

@Catch(TypeError)
class BrokenFilter implements ExceptionFilter {
  catch(exception: Error): never {
    if (exception.message === 'conflict') throw new ConflictException('The name is taken');
    throw exception;
  }
}

@Controller({ path: 'on-errors', version: '1' })
class ErrorsController {
  @Get('throw/:what')
  throwIt(@Param('what') what: string): never {
    throw THROWN[what]?.();
  }

  @Get('reject/:what')
  async rejectIt(@Param('what') what: string): Promise<never> {
    await Promise.resolve();
    throw THROWN[what]?.();
  }

  @Get('closed')
  @UseGuards(Closed)
  closed(): object {
    return {};
  }

  @Get('angry')
  @UseGuards(Angry)
  angry(): object {
    return {};
  }

  @Get('moon')
  @UseFilters(MoonFilter)
  moon(): never {
    throw new MoonError('full');
  }

  @Get('sun')
  sun(): never {
    throw new SunError('hot');
  }

  @Get('star/:what')
  @UseFilters(StarFilter)
  star(@Param('what') what: string): never {
    throw what === 'star' ? new StarError('far') : THROWN[what]?.();
  }

  @Get('comet/:what')
  @UseFilters(CometFilter)
  comet(@Param('what') what: string): never {
    throw new CometError(what);
  }

  @Get('broken/:what')
  broken(@Param('what') what: string): never {
    throw new TypeError(what === 'conflict' ? what : '/etc/passwd');
  }

  @Get('begun')
  begun(@Res() response: Response): never {
    response.status(200).setHeader('Content-Length', 100);
    response.write('a part');
    throw new ConflictException('too late');
  }

  @Get('begun-in-chunks')
  async begunInChunks(@Res() response: Response): Promise<never> {
    response.write('a part');
    await Promise.resolve();
    throw new Error('too late');
  }

  @Get('sent')
  sent(@Res() response: Response): never {
    response.json({ sent: true });
    throw new Error('too late');
  }

  @Get('retry-after')
  retryAfter(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Retry-After', '17');
    throw new ServiceUnavailableException();
  }

  @Post('upload')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 10 } }))
  upload(@UploadedFile() file: unknown): object {
    return { file: file !== undefined };
  }

  @Post('own-json')
  ownJson(): object {
    return {};
  }

  @Get('middleware/:what')
  afterMiddleware(): object {
    return {};
  }
}

@Module({
  controllers: [ErrorsController],
  providers: [
    { provide: APP_FILTER, useClass: SunFilter },
    { provide: APP_FILTER, useClass: BrokenFilter },
  ],
})
class ErrorsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const throwing = (request: Request, _: Response, next: NextFunction) => {
      const what = request.path.split('/').at(-1) ?? '';
      if (what === 'next') next(new ConflictException('The name is taken'));
      else throw new ConflictException('The name is taken');
    };
    consumer.apply(throwing).forRoutes('/v1/on-errors/middleware/{*what}');
    consumer.apply(express.json({ limit: 100 })).forRoutes('/v1/on-errors/own-json');
  }
}

const PATH = '/v1/on-errors';

export const errors: Topic = {
  name: 'that throws',
  module: ErrorsModule,
  tests(scene) {
    const ask = (path: string, message: Message = {}) => {
      const { petstore, key } = scene();
      const headers = [bearer(key), ...(message.headers ?? [])];
      return send(petstore, { ...message, path: `${PATH}/${path}`, headers });
    };

    it.each([
      ['bad-request', 400, 'bad_request', 'Bad Request'],
      ['bad-request-text', 400, 'bad_request', 'The moon is not full'],
      ['bad-request-list', 400, 'bad_request', 'too small. too red'],
      ['bad-request-code', 400, 'moon_not_full', 'The moon is not full'],
      ['bad-request-codes', 400, 'two', 'too small. too red'],
      ['bad-request-object', 400, 'bad_request', 'Bad Request'],
      ['error-code', 400, 'moon_not_full', 'The moon is not full'],
      ['description', 400, 'bad_request', 'The moon is not full'],
      ['unauthorized', 401, 'unauthorized', 'Log in to the moon'],
      ['payment-required', 402, 'payment_required', 'Pay first'],
      ['forbidden', 403, 'forbidden', 'Not yours'],
      ['not-found', 404, 'not_found', 'No such moon'],
      ['not-acceptable', 406, 'not_acceptable', 'No'],
      ['request-timeout', 408, 'request_timeout', 'Request Timeout'],
      ['conflict', 409, 'conflict', 'The name is taken'],
      ['cause', 409, 'conflict', 'The name is taken'],
      ['an-error', 409, 'conflict', 'Conflict'],
      ['gone', 410, 'gone', 'It has set'],
      ['precondition-failed', 412, 'precondition_failed', 'It has changed'],
      ['payload-too-large', 413, 'payload_too_large', 'A file may have 1 MB'],
      ['unsupported-media-type', 415, 'unsupported_media_type', 'Only PNG'],
      ['teapot', 418, 'im_a_teapot', "I'm a teapot"],
      ['unprocessable', 422, 'unprocessable_entity', 'It contradicts itself'],
      ['locked', 423, 'locked', 'Locked'],
      ['too-many', 429, 'too_many_requests', 'Slowly'],
      ['throttled', 429, 'too_many_requests', 'ThrottlerException: Too Many Requests'],
      ['legal', 451, 'unavailable_for_legal_reasons', 'Forbidden by law'],
      ['unknown', 499, 'client_error', 'Strange'],
      ['not-implemented', 501, 'not_implemented', 'Not on this planet'],
      ['bad-gateway', 502, 'bad_gateway', 'The moon does not respond'],
      ['unavailable', 503, 'service_unavailable', 'The moon is down'],
      ['gateway-timeout', 504, 'gateway_timeout', 'Gateway Timeout'],
      ['http-error', 413, 'payload_too_large', 'Too big'],
      ['hidden-http-error', 404, 'not_found', 'Not Found'],
      ['plain-object', 409, 'conflict', 'Taken'],
      ['domain', 409, 'moon_taken', 'The moon is taken.'],
    ])('keeps status and message of %s', async (what, status, code, message) => {
      for (const way of ['throw', 'reject']) {
        const response = await ask(`${way}/${what}`);
        expectErrorResponse(response, status, code);
        expect(JSON.parse(response.body)).toMatchObject({ message });
      }
    });

    it.each([
      'internal',
      'internal-code',
      'server-http-error',
      'axios-error',
      'other-object',
      'nothing',
      'null',
      'number',
      'no-entity',
    ])('shows nothing of %s, which is 500, but in the log', async (what) => {
      const { petstore } = scene();
      const lines = petstore.log.length;
      for (const way of ['throw', 'reject']) {
        const response = await ask(`${way}/${what}`);
        const status = what === 'server-http-error' ? 502 : 500;
        expectErrorResponse(response, status, status === 500 ? 'internal_error' : 'bad_gateway');
        expect(response.body).not.toMatch(/passwd|password|leak|Moon/);
      }
      const errors = petstore.log.slice(lines).filter(({ context }) => context === 'ErrorFilter');
      expect(errors.map(({ level }) => level)).toEqual(['error', 'error']);
    });

    it('leaves the cause of an exception in the log', async () => {
      const { petstore } = scene();
      const response = await ask('throw/cause');
      const [id] = valuesOf(response, 'X-Request-Id');
      expect(petstore.log).toContainEqual(
        expect.objectContaining({
          requestId: id,
          msg: expect.stringContaining('duplicate key of the moon') as unknown,
        }),
      );
      expect(response.body).not.toContain('duplicate');
    });

    it('refuses with 403 where a guard returns false', async () => {
      const response = await ask('closed');
      expectErrorResponse(response, 403, 'forbidden');
      expect(JSON.parse(response.body)).toMatchObject({ message: 'Forbidden resource' });
      expectErrorResponse(await ask('angry'), 403, 'forbidden');
    });

    it.each(['throw', 'next'])('keeps what middleware refuses by %s', async (way) => {
      const response = await ask(`middleware/${way}`);
      expectErrorBody(response, 409, 'conflict');
      expect(JSON.parse(response.body)).toMatchObject({ message: 'The name is taken' });
    });

    it('shows when to come back with 503, and keeps what the handler says of it', async () => {
      expect(valuesOf(await ask('throw/unavailable'), 'Retry-After')).toEqual(['1']);
      expect(valuesOf(await ask('retry-after'), 'Retry-After')).toEqual(['17']);
    });

    it('keeps the filter of a route, and a global one', async () => {
      const moon = await ask('moon');
      expect({ ...moon, body: JSON.parse(moon.body) as unknown }).toMatchObject({
        status: 418,
        body: { moon: 'full', type: 'http' },
      });
      const sun = await ask('sun');
      expect({ ...sun, body: JSON.parse(sun.body) as unknown }).toMatchObject({
        status: 420,
        body: { sun: 'hot' },
      });
      for (const response of [moon, sun]) expectPromisedHeaders(response);
    });

    it.each([
      ['star', 409, 'conflict'],
      ['conflict', 409, 'conflict'],
      ['not-found', 404, 'not_found'],
      ['domain', 409, 'conflict'],
      ['http-error', 413, 'payload_too_large'],
      ['internal', 500, 'internal_error'],
      ['other-object', 500, 'internal_error'],
    ])('keeps a filter that extends the one of Nest, for %s', async (what, status, code) => {
      const response = await ask(`star/${what}`);
      expectErrorResponse(response, status, code);
      expect(valuesOf(response, 'X-Star')).toEqual(['yes']);
    });

    it('waits for an asynchronous filter', async () => {
      const comet = await ask('comet/bright');
      expect({ status: comet.status, body: comet.body }).toEqual({ status: 418, body: '{"comet":"bright"}' });
    });

    it.each([
      ['broken/conflict', 409, 'conflict'],
      ['broken/itself', 500, 'internal_error'],
    ])('responds with what a filter fails with: %s', async (path, status, code) => {
      const response = await ask(path);
      expectErrorResponse(response, status, code);
      expect(response.body).not.toContain('passwd');
    });

    it.each(['begun', 'begun-in-chunks'])('ends the connection of a response that has %s', async (path) => {
      const { petstore, key } = scene();
      const bytes = requestBytes({ path: `${PATH}/${path}`, headers: [bearer(key)] });
      await expect(sendBytes(petstore, bytes)).rejects.toThrow('closed without a response');
    });

    it('leaves a response that was sent as it is', async () => {
      expect(await ask('sent')).toMatchObject({ status: 200, body: '{"sent":true}' });
      expect((await ask('sent')).status).toBe(200);
    });

    it('refuses an upload that is too large, or not one, with what Multer says', async () => {
      const headers = [['Content-Type', 'multipart/form-data; boundary=x']] as const;
      const file = (length: number, name = 'file') =>
        `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${'x'.repeat(length)}\r\n--x--\r\n`;
      const post = (body: string) => ask('upload', { method: 'POST', headers, body });
      expect((await post(file(10))).status).toBe(201);
      expectErrorResponse(await post(file(11)), 413, 'payload_too_large');
      expectErrorResponse(await post(file(1, 'other')), 400, 'bad_request');
      expectErrorResponse(await post('no boundary'), 400, 'bad_request');
    });

    it.each([
      ['{', 400, 'invalid_json'],
      [JSON.stringify('x'.repeat(200)), 413, 'payload_too_large'],
    ])('refuses what express.json() of a module refuses: %.10s', async (body, status, code) => {
      const headers = [['Content-Type', 'application/json']] as const;
      expectErrorBody(await ask('own-json', { method: 'POST', headers, body }), status, code);
    });
  },
};

import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { RESPONSE_PASSTHROUGH_METADATA } from '@nestjs/common/internal.js';
import { ApiHeader } from '@nestjs/swagger';
import { parametersOf } from '../http/route/parameters.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from './idempotency-key.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

const IDEMPOTENT = 'idempotent';

export const isIdempotent = (handler: object): boolean => Reflect.getMetadata(IDEMPOTENT, handler) === true;

/**
 * Lets clients repeat an operation safely with an `Idempotency-Key`. Everything the handler does through TypeORM is
 * committed in one transaction with the response, which `IdempotencyInterceptor` stores. Adds the header, the replayed
 * response, 409 and 422 to the OpenAPI document.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(
    refuseOwnResponse,
    SetMetadata(IDEMPOTENT, true),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: false,
      description:
        'Makes retries safe: for 24 hours, a request with the same key gets the first response again. Use a unique ' +
        'value for each new request, such as a UUID.',
      schema: {
        type: 'string',
        pattern: IDEMPOTENCY_KEY_PATTERN,
        example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
      },
    }),
  );

/** A response that the handler sends itself cannot be stored before it is sent. */
const refuseOwnResponse: MethodDecorator = ({ constructor }, name) => {
  const sources = parametersOf(constructor as Type, String(name)).map(({ source }) => source);
  const own = sources.includes('response') || sources.includes('next');
  if (own && Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, constructor, name) !== true) {
    throw new TypeError(
      `@Idempotent() on ${constructor.name}.${String(name)} needs @Res({ passthrough: true }), and no @Next()`,
    );
  }
};

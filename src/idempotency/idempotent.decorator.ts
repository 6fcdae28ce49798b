import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from './idempotency-key.js';

const IDEMPOTENT = 'idempotent';

export const isIdempotent = (handler: object): boolean => Reflect.getMetadata(IDEMPOTENT, handler) === true;

/**
 * An operation that a client may repeat without doing it twice, by an `Idempotency-Key` of its choice. All that its
 * handler does through TypeORM becomes one transaction with the response, which `IdempotencyInterceptor` stores; in the
 * document the header, the replayed response, 409 and 422 come with it.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(
    refuseOwnResponse,
    SetMetadata(IDEMPOTENT, true),
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: false,
      description:
        'Makes it safe to send the request again: within 24 hours a repeat with the same key gets the first answer. Any text that you use for one request only, such as a UUID.',
      schema: {
        type: 'string',
        pattern: IDEMPOTENCY_KEY_PATTERN,
        example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
      },
    }),
  );

/** A response that a handler sends by itself has left before it could be stored. */
const refuseOwnResponse: MethodDecorator = ({ constructor }, name) => {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, constructor, name) as object | undefined;
  const types = Object.keys(parameters ?? {}).map((key) => Number(key.split(':')[0]));
  const own = types.includes(RouteParamtypes.RESPONSE) || types.includes(RouteParamtypes.NEXT);
  if (own && Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, constructor, name) !== true) {
    throw new TypeError(
      `@Idempotent() on ${constructor.name}.${String(name)} needs @Res({ passthrough: true }), and no @Next()`,
    );
  }
};

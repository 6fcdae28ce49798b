import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from './idempotency-key.js';
import { IdempotencyGuard } from './idempotency.guard.js';
import { IDEMPOTENT, type IdempotentOptions, takesUnitOfWork } from './idempotent.metadata.js';

/**
 * Lets clients repeat an operation safely with an `Idempotency-Key`. What the handler writes through its
 * `@UnitOfWork()` commits together with the response, which repeats get. The handler then holds a connection
 * to PostgreSQL while it runs. Adds the header, the replayed response, 409 and 422 to the OpenAPI document.
 */
export const Idempotent = (options: IdempotentOptions = {}): MethodDecorator =>
  applyDecorators(
    requireUnitOfWork,
    SetMetadata(IDEMPOTENT, options),
    UseGuards(IdempotencyGuard),
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

/**
 * Otherwise the writes of the handler could be committed without its response. Parameter decorators run
 * before this one.
 */
const requireUnitOfWork: MethodDecorator = (controller, name) => {
  if (takesUnitOfWork(controller, name)) return;
  throw new TypeError(
    `@Idempotent() on ${controller.constructor.name}.${String(name)} needs a parameter @UnitOfWork() changes: Changes, through which it writes`,
  );
};

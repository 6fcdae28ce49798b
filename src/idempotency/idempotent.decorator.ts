import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from './idempotency-key.js';
import { UseAround } from '../http/around.decorator.js';
import { Idempotency } from './idempotency.js';

/**
 * An operation that a client may repeat without doing it twice, by an `Idempotency-Key` of its choice. All that its
 * handler does through TypeORM becomes one transaction with the answer; in the document the header, the replayed
 * answer, 409 and 422 come with it.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(
    UseAround(Idempotency),
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

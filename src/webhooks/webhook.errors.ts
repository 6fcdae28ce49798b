import { DomainError } from '../kernel/errors/domain-error.js';
import type { Int64 } from '../kernel/json/int64.js';

export class WebhookNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'webhook_not_found', `There is no webhook with the id ${id}.`);
  }
}

export class DeliveryNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'delivery_not_found', `The webhook has no delivery with the id ${id}.`);
  }
}

export class WebhookDisabled extends DomainError {
  constructor() {
    super('conflict', 'webhook_disabled', 'The webhook is disabled. Enable it first.');
  }
}

export class WebhookDisabledByOperator extends DomainError {
  constructor() {
    super(
      'conflict',
      'webhook_disabled_by_operator',
      'The operator of the service has disabled this webhook. Only the operator can enable it.',
    );
  }
}

export class TooManyWebhooks extends DomainError {
  constructor(max: number) {
    super('conflict', 'too_many_webhooks', `A key can have ${max} webhooks. Delete one first.`);
  }
}

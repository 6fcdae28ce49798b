import { DomainError } from '../../kernel/errors/domain-error.js';
import { type Plan, planEntries } from '../../access/plans/plans.js';
import type { Int64 } from '../../kernel/json/int64.js';

export class WebhookNotFound extends DomainError {
  static override readonly help = {
    meaning: 'Your key has no webhook with this id. A webhook of another key gets the same error.',
    action: 'Do not repeat the request. List the webhooks of your key.',
  };

  constructor(id: Int64 | string) {
    super('not_found', 'webhook_not_found', `There is no webhook with the id ${id}.`);
  }
}

export class DeliveryNotFound extends DomainError {
  static override readonly help = {
    meaning: 'The webhook has no delivery with this id, or its event has expired. Both are kept for 30 days.',
    action: 'Do not repeat the request. List the deliveries of the webhook.',
  };

  constructor(id: Int64 | string, message = `The webhook has no delivery with the id ${id}.`) {
    super('not_found', 'delivery_not_found', message);
  }

  static ofExpiredEvent(id: Int64): DeliveryNotFound {
    return new DeliveryNotFound(
      id,
      `The event of the delivery ${id} has expired, so it cannot be sent again.`,
    );
  }
}

export class WebhookDisabled extends DomainError {
  static override readonly help = {
    meaning: 'The webhook is disabled, so nothing is sent to it.',
    action: 'Enable it with `PATCH` and `{"state": "enabled"}` first.',
  };

  constructor() {
    super('conflict', 'webhook_disabled', 'The webhook is disabled. Enable it first.');
  }
}

export class WebhookDisabledByOperator extends DomainError {
  static override readonly help = {
    meaning: 'The operator of the service has disabled the webhook. Only the operator can enable it.',
    action: 'Ask the operator.',
  };

  constructor() {
    super(
      'conflict',
      'webhook_disabled_by_operator',
      'The operator of the service has disabled this webhook. Only the operator can enable it.',
    );
  }
}

export class TooManyWebhooks extends DomainError {
  static override readonly help = {
    meaning: 'The key has all the webhooks that its plan allows.',
    action: 'Delete one first, or ask the operator for a larger plan.',
  };

  /** Of the first plan, for the document. */
  static readonly example = (): TooManyWebhooks => {
    const [plan, { webhooks }] = planEntries()[0] ?? ['basic', { webhooks: 0 }];
    return new TooManyWebhooks(plan as Plan, webhooks);
  };

  constructor(plan: Plan, max: number) {
    super(
      'conflict',
      'too_many_webhooks',
      `A key of the plan ${plan} can have ${max} webhooks. Delete one first.`,
    );
  }
}

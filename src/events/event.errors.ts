import { DomainError } from '../kernel/errors/domain-error.js';

/** Events after the cursor have been cleared. */
export class EventsExpired extends DomainError {
  constructor() {
    super(
      'gone',
      'events_expired',
      'Events after this cursor have been deleted. Read the current state, and start again without a cursor.',
    );
  }
}

import { DomainError } from '../kernel/errors/domain-error.js';

/** Events after the cursor have been cleared. */
export class EventsExpired extends DomainError {
  static override readonly help = {
    meaning: 'Events after this cursor have been deleted. They are kept for 30 days.',
    action: 'Read the current state with the other operations, then read the feed without a cursor.',
  };

  constructor() {
    super(
      'gone',
      'events_expired',
      'Events after this cursor have been deleted. Read the current state, and start again without a cursor.',
    );
  }
}

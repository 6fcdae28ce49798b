import { DomainError } from '../errors/domain-error.js';

/** The events after the cursor have been deleted. */
export class EventsExpired extends DomainError {
  static override readonly help = {
    meaning: 'The events after this cursor have expired. Events are kept for 30 days.',
    action: 'Fetch the current state, then read the feed without a cursor.',
  };

  constructor() {
    super(
      'gone',
      'events_expired',
      'The events after this cursor have expired. Fetch the current state, then start again without a cursor.',
    );
  }
}

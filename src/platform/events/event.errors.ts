import { DomainError } from '../errors/domain-error.js';

/** The events after the cursor have been deleted. */
export class EventsExpired extends DomainError {
  static override readonly help = {
    meaning: 'The events after this cursor have expired. Events are kept for 30 days.',
    action:
      'Ask with `since=now`, then fetch the current state, then follow the `Link` of the first response.',
  };

  constructor() {
    super(
      'gone',
      'events_expired',
      'The events after this cursor have expired. Start again with since=now, and fetch the current state then.',
    );
  }
}

import { DomainError } from '../../kernel/errors/domain-error.js';

/** The events after the cursor have been deleted, or never were in this feed. */
export class EventsExpired extends DomainError {
  static override readonly help = {
    meaning:
      'The events after this cursor have expired: they are kept for 30 days. Or the data of the service were restored from a backup that is older than the cursor.',
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

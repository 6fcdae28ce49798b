import { DomainError } from '../kernel/errors/domain-error.js';

/** Events behind the cursor have been cleared: a reader who went on would miss them without knowing. */
export class EventsExpired extends DomainError {
  constructor() {
    super(
      'gone',
      'events_expired',
      'Events after this cursor are no longer kept. Read the present state, and start again without a cursor.',
    );
  }
}

import { days, minutes } from '../../src/platform/kernel/clock/duration.js';
import { eventually } from './eventually.js';

/** Waits for the end of a UTC day's last minute: for tests of days that a server counts, whose clock cannot be moved. */
export const farFromMidnight = (): Promise<void> =>
  eventually(() => days(1) - (Date.now() % days(1)) > minutes(1));

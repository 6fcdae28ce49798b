import { Clock } from '../../src/kernel/clock/clock.js';

/** Time that stands still until a test moves it. */
export class TestClock extends Clock {
  private ran = 1_000_000; // a process that has been running for a while

  /** @param wall Unix milliseconds; noon, so that no test meets midnight by chance */
  constructor(private wall = Date.UTC(2027, 0, 15, 12)) {
    super();
  }

  override now(): number {
    return this.wall;
  }

  override elapsed(): number {
    return this.ran;
  }

  /** Time passes. */
  advance(milliseconds: number): void {
    this.wall += milliseconds;
    this.ran += milliseconds;
  }

  /** Somebody corrects the wall clock; no time passes. */
  step(milliseconds: number): void {
    this.wall += milliseconds;
  }

  set(wall: Date | number): void {
    this.wall = wall.valueOf();
  }
}

import { Clock } from '../../kernel/clock/clock.js';

/** A clock that stands still until a test moves it. */
export class TestClock extends Clock {
  private ran = 1_000_000; // as if the process had been running for a while

  /** @param wall Unix milliseconds; noon by default, so that no test runs into midnight */
  constructor(private wall = Date.UTC(2027, 0, 15, 12)) {
    super();
  }

  override now(): number {
    return this.wall;
  }

  override elapsed(): number {
    return this.ran;
  }

  /** Lets time pass. */
  advance(milliseconds: number): void {
    this.wall += milliseconds;
    this.ran += milliseconds;
  }

  /** Corrects the wall clock without letting time pass. */
  step(milliseconds: number): void {
    this.wall += milliseconds;
  }

  set(wall: Date | number): void {
    this.wall = wall.valueOf();
  }
}

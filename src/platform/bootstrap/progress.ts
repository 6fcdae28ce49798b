import type { WriteStream } from 'node:tty';

const ERASE_LINE = '\r\u001b[K';
const CYAN = '\u001b[36m';
const RESET = '\u001b[0m';

/** Shows the steps of the start: on a terminal in one line that is erased at the end, otherwise line by line. */
export class Progress {
  private readonly isAnimated: boolean;
  private isShown = false;

  constructor(private readonly out: WriteStream) {
    this.isAnimated = out.isTTY && out.hasColors();
  }

  show(step: string): void {
    this.isShown = true;
    this.out.write(this.isAnimated ? `${ERASE_LINE}${CYAN}${step}${RESET}` : `${step}\n`);
  }

  end(): void {
    if (this.isAnimated && this.isShown) this.out.write(ERASE_LINE);
    this.isShown = false;
  }
}

import type { WriteStream } from 'node:tty';

const ERASE_LINE = '\r\u001b[K';
const CYAN = '\u001b[36m';
const RESET = '\u001b[0m';

/** Says what a start is doing: on a terminal in one line that changes and is gone at the end, elsewhere line by line. */
export class Progress {
  private readonly changing: boolean;
  private shown = false;

  constructor(private readonly out: WriteStream) {
    this.changing = out.isTTY && out.hasColors();
  }

  tell(step: string): void {
    this.shown = true;
    this.out.write(this.changing ? `${ERASE_LINE}${CYAN}${step}${RESET}` : `${step}\n`);
  }

  end(): void {
    if (this.changing && this.shown) this.out.write(ERASE_LINE);
    this.shown = false;
  }
}

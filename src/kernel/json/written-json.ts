/** An answer whose JSON text is there already: it is sent as it is. */
export class WrittenJson {
  constructor(readonly text: string) {}
}

/** A value whose JSON text is there already: it is sent as it is. */
export class RawJson {
  constructor(readonly text: string) {}
}

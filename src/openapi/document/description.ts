/** The introduction of the document. The guides are its tags. CommonMark. */
export const description = (base: string): string =>
  `
The inventory of a pet store: list pets, add one, see what was ordered. Requests and responses are \`application/json\`.

[Reference with guides](${base}/reference) · [Errors](${base}/docs/errors) · [OpenAPI document](${base}/openapi.yaml)
`.trim();

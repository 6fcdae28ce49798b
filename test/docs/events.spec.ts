import { load } from 'js-yaml';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../support/repository.js';
import { UPDATING } from '../support/updating-pages.js';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PAGE = 'docs/events.md';

/** The document is made from the code: `openapi-snapshot.e2e-spec.ts` compares them. */
const { components } = load(readText('docs/openapi.yaml')) as Document;
const nameOf = ({ $ref = '' }: Schema): string => $ref.replace('#/components/schemas/', '');
const schemaOf = (name: string): Schema => components.schemas[name] ?? {};

/** The types in the feed. Without modules that record events there are none. */
const types = (schemaOf('EventType').enum ?? []).map((type) => {
  const own = Object.values(components.schemas).find(({ properties }) => properties?.type?.const === type);
  const { description = '', properties: { version, data } = {} } = own ?? {};
  return { type, description, version: String(version?.const), data: nameOf(data ?? {}) };
});

const table = (...rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function tables(): string {
  const shapes = [...new Set(types.map(({ data }) => data))].map((name) => {
    const { properties = {}, required = [] } = schemaOf(name);
    const members = Object.keys(properties).map(
      (member) => `\`${member}\`${required.includes(member) ? '' : ' (may be absent)'}`,
    );
    return [`\`${name}\``, members.join(', ')];
  });
  return `
${table(
  ['Type', 'Version', 'Meaning', '`data`'],
  ['---', '---', '---', '---'],
  ...types.map(({ type, version, description, data }) => [
    `\`${type}\``,
    version,
    description,
    `\`${data}\``,
  ]),
)}

${table(['`data`', 'Properties'], ['---', '---'], ...shapes)}

`;
}

describe('docs/events.md', () => {
  it('has the types of events and their data; npm run openapi:snapshot updates it', () => {
    const page = readText(PAGE);
    const updated = page.replace(
      /(?<=<!-- prettier-ignore-start -->\n)[^]*(?=<!-- prettier-ignore-end -->)/,
      () => tables(),
    );
    if (UPDATING) writeFileSync(join(import.meta.dirname, '../..', PAGE), updated);
    expect(readText(PAGE)).toBe(updated);
  });

  it('explains each type', () => {
    for (const { description, data } of types) {
      expect(description).toMatch(/\.$/);
      expect(Object.keys(schemaOf(data).properties ?? {})).toContain('id');
    }
  });
});

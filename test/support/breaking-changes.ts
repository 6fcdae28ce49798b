/** A part of a document: an operation, a parameter, a response or a schema. */
export type Part = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<string, Part | undefined>>;

export interface OpenApi extends Part {
  readonly paths: Readonly<Record<string, Parts>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'trace'];

export const operationsOf = ({ paths }: OpenApi): { name: string; operation: Part }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : [];
    }),
  );

/**
 * What a client, written or generated for one document, could not cope with in the next one. A client may send what it could, gets
 * nothing that it does not know but new members of objects, and its names stay. Experimental operations promise nothing.
 */
export function breakingChanges(before: OpenApi, after: OpenApi): string[] {
  return new Comparison(before, after).run();
}

class Comparison {
  private readonly found: string[] = [];
  private readonly comparing = new Set<string>();

  constructor(
    private readonly before: OpenApi,
    private readonly after: OpenApi,
  ) {}

  run(): string[] {
    const now = new Map(operationsOf(this.after).map(({ name, operation }) => [name, operation]));
    for (const { name, operation } of operationsOf(this.before)) {
      if (operation['x-stability'] === 'experimental') continue;
      const next = now.get(name);
      if (next) this.operation(name, operation, next);
      else this.report(`${name} is gone`);
    }
    this.named(
      'schema',
      part(part(this.before.components).schemas),
      part(part(this.after.components).schemas),
    );
    const events = (document: OpenApi) => part(document.webhooks) as Parts;
    this.named('webhook', events(this.before), events(this.after));
    for (const [name, event] of Object.entries(events(this.before)))
      this.content(`webhook ${name}`, bodyOf(event), bodyOf(events(this.after)[name]), false);
    return this.found;
  }

  private operation(where: string, before: Part, after: Part): void {
    for (const member of ['operationId', 'tags'])
      this.same(`${where}: ${member}`, before[member], after[member]);
    this.scopes(where, before, after);
    this.parameters(where, list(before.parameters), list(after.parameters));
    const [body, next] = [
      this.resolved(this.before, before.requestBody),
      this.resolved(this.after, after.requestBody),
    ];
    if (next.required === true && body.required !== true) this.report(`${where}: the body is now required`);
    this.content(`${where}: body`, body, next, true);
    const responses = part(after.responses);
    for (const [status, response] of Object.entries(part(before.responses))) {
      const at = `${where}: ${status}`;
      if (!(status in responses)) {
        this.report(`${at} is gone`);
        continue;
      }
      const [old, now] = [this.resolved(this.before, response), this.resolved(this.after, responses[status])];
      this.content(at, old, now, false);
      for (const header of Object.keys(part(old.headers)))
        if (!(header in part(now.headers))) this.report(`${at}: the header ${header} is gone`);
    }
    for (const status of Object.keys(responses))
      if (status.startsWith('2') && !(status in part(before.responses)))
        this.report(`${where}: ${status} is new`);
  }

  /** A requirement of which a key of before may lack something. */
  private scopes(where: string, before: Part, after: Part): void {
    const needed = ({ security }: Part) =>
      list(security ?? [{ key: [] }]).flatMap((one) => ['a key', ...(Object.values(one).flat() as string[])]);
    const had = needed(before);
    for (const scope of needed(after)) if (!had.includes(scope)) this.report(`${where}: needs ${scope}`);
  }

  private parameters(where: string, before: readonly Part[], after: readonly Part[]): void {
    const old = before.map((one) => this.resolved(this.before, one));
    const now = after.map((one) => this.resolved(this.after, one));
    const idOf = (one: Part) => `${String(one.in)} ${String(one.name)}`;
    const kept = old.filter((one) => now.some((next) => idOf(next) === idOf(one)));
    const places = now.slice(0, kept.length).map(idOf);
    if (kept.length === old.length && places.join() !== kept.map(idOf).join())
      this.report(`${where}: the order of parameters is now ${places.join(', ')}`);
    for (const one of old) {
      const at = `${where}: ${idOf(one)}`;
      const next = now.find((other) => idOf(other) === idOf(one));
      if (!next) {
        this.report(`${at} is gone`);
        continue;
      }
      if (next.required === true && one.required !== true) this.report(`${at} is now required`);
      for (const member of ['style', 'explode']) this.same(`${at}: ${member}`, one[member], next[member]);
      this.schema(at, one.schema, next.schema, true);
    }
    for (const next of now)
      if (next.required === true && !old.some((one) => idOf(one) === idOf(next)))
        this.report(`${where}: ${idOf(next)} is new and required`);
  }

  private content(where: string, before: Part, after: Part, isSent: boolean): void {
    const now = part(after.content) as Parts;
    for (const [type, media] of Object.entries(part(before.content) as Parts)) {
      const next = now[type];
      if (!next) this.report(`${where}: ${type} is gone`);
      else this.schema(where, media?.schema, next.schema, isSent);
    }
  }

  /** @param isSent by the client: its values must stay valid. What it receives must be what it could be before */
  private schema(where: string, before: unknown, after: unknown, isSent: boolean): void {
    const pair = `${isSent} ${JSON.stringify([before, after])}`;
    if (this.comparing.has(pair)) return; // schemas that contain themselves
    this.comparing.add(pair);
    const [old, now] = [this.resolved(this.before, before), this.resolved(this.after, after)];
    const [from, to] = isSent ? [old, now] : [now, old];
    this.values(where, from, to, isSent);
    if (isSent) this.same(`${where}: default`, old.default, now.default);
    this.members(where, old, now, isSent);
    if (old.items !== undefined && now.items !== undefined)
      this.schema(`${where}[]`, old.items, now.items, isSent);
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const [parts, others] = [list(old[key]), list(now[key])];
      if (parts.length !== others.length)
        this.report(`${where}: ${key} has ${others.length} parts, not ${parts.length}`);
      else
        parts.forEach((one, i) => {
          this.schema(`${where}.${key}.${i}`, one, others[i], isSent);
        });
    }
    this.comparing.delete(pair);
  }

  /** Reports values that `from` allows and `to` does not. */
  private values(where: string, from: Part, to: Part, isSent: boolean): void {
    const kind = isSent ? 'is narrower' : 'is wider';
    const [types, allowed] = [typesOf(from), typesOf(to)];
    const fits = (type: string) =>
      allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
    if (allowed.length > 0 && (types.length === 0 || !types.every(fits)))
      this.report(`${where}: type ${kind}: ${JSON.stringify(from.type)} and ${JSON.stringify(to.type)}`);
    const [values, known] = [valuesOf(from), valuesOf(to)];
    if (known && !values?.every((value) => known.includes(value))) this.report(`${where}: enum ${kind}`);
    for (const limit of LIMITS) {
      const [bound, other] = [from[limit], to[limit]] as readonly (number | undefined)[];
      const isLeast = /min/i.test(limit);
      if (other === undefined) continue;
      if (bound === undefined || (isLeast ? bound < other : bound > other))
        this.report(`${where}: ${limit} ${kind}`);
    }
    for (const rule of ['pattern', 'format', 'uniqueItems', 'multipleOf'])
      if (to[rule] !== undefined && to[rule] !== from[rule]) this.report(`${where}: ${rule} ${kind}`);
    if (to.additionalProperties === false && from.additionalProperties !== false && isSent)
      this.report(`${where}: additionalProperties ${kind}`);
  }

  private members(where: string, before: Part, after: Part, isSent: boolean): void {
    const namesIn = ({ required }: Part) => (required ?? []) as readonly string[];
    const [always, known] = isSent ? [after, before] : [before, after];
    for (const name of namesIn(always))
      if (!namesIn(known).includes(name))
        this.report(`${where}.${name} is ${isSent ? 'now required' : 'no longer always there'}`);
    const now = part(after.properties);
    for (const [name, property] of Object.entries(part(before.properties)))
      if (name in now) this.schema(`${where}.${name}`, property, now[name], isSent);
      else this.report(`${where}.${name} is gone`);
  }

  private named(what: string, before: Part, after: Part): void {
    for (const name of Object.keys(before)) if (!(name in after)) this.report(`the ${what} ${name} is gone`);
  }

  private same(what: string, before: unknown, after: unknown): void {
    if (JSON.stringify(before) !== JSON.stringify(after))
      this.report(`${what} is ${JSON.stringify(after)}, not ${JSON.stringify(before)}`);
  }

  /** What a reference refers to, with the siblings of the reference. */
  private resolved(document: OpenApi, value: unknown): Part {
    const { $ref, ...own } = part(value);
    if (typeof $ref !== 'string') return own;
    const target = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((parent, name) => part(parent)[name], document);
    return { ...this.resolved(document, target), ...own };
  }

  private report(change: string): void {
    if (!this.found.includes(change)) this.found.push(change);
  }
}

const LIMITS = [
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'],
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'],
];

const part = (value: unknown): Part => (value ?? {}) as Part;
const list = (value: unknown): readonly Part[] => (value ?? []) as readonly Part[];
const typesOf = ({ type }: Part): readonly string[] => [type ?? []].flat() as string[];
const bodyOf = (event: Part | undefined): Part => part(part(event?.post).requestBody);

function valuesOf(schema: Part): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return schema.enum as readonly unknown[] | undefined;
}

import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** The condition that an update changes what is stored, and its named parameters. */
export interface ChangeCondition {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Lets PostgreSQL compare a row with the values of an update: only it knows that a `jsonb`, `uuid`, `time` or `inet` value
 * is stored in another form than it was given. Update-date and version columns do not count as a change.
 * @param values as for `Repository.update`, with embedded columns, relations and SQL expressions
 */
export function changeCondition(
  { columns, dataSource }: EntityMetadata,
  values: ObjectLiteral,
): ChangeCondition {
  const { driver } = dataSource;
  const conditions: string[] = [];
  const parameters: Record<string, unknown> = {};
  for (const column of columns) {
    const given = givenFor(column, values);
    if (given === undefined || !column.isUpdate || column.isUpdateDate || column.isVersion) continue;
    let sql: string;
    if (typeof given === 'function') sql = `(${(given as () => string)()})`;
    else {
      const name = `changed_${conditions.length}`;
      sql = `:${name}`;
      parameters[name] = driver.preparePersistentValue(given, column);
    }
    conditions.push(isDistinct(column, sql));
  }
  return { sql: conditions.length > 0 ? `(${conditions.join(' OR ')})` : 'FALSE', parameters };
}

/** The condition that a column would get another value. The texts of both are compared: some types have no `=`, and that of others ignores case or units. */
export function isDistinct(column: ColumnMetadata, value: string): string {
  const { driver } = column.entityMetadata.dataSource;
  const name = driver.escape(column.databaseName);
  const type = driver.normalizeType(column);
  if (type === 'geometry' || type === 'geography') return 'TRUE'; // given as GeoJSON
  const target = `${comparedAs(type, column)}${column.isArray ? '[]' : ''}`;
  const stored = type === 'json' ? `CAST(${name} AS ${target})` : name;
  return `CAST(${stored} AS text) COLLATE "C" IS DISTINCT FROM CAST(CAST(${value} AS ${target}) AS text)`;
}

function givenFor(column: ColumnMetadata, values: ObjectLiteral): unknown {
  const given: unknown = column.getEntityValue(values);
  const isReference =
    column.referencedColumn !== undefined &&
    typeof given === 'object' &&
    given !== null &&
    !(given instanceof Date) &&
    !(given instanceof Uint8Array);
  return isReference ? column.referencedColumn?.getEntityValue(given) : given;
}

/** Numbers and times are rounded as they are stored. A cast to `varchar(3)` would cut what an update refuses. */
function comparedAs(type: string, { precision, scale }: ColumnMetadata): string {
  if (type === 'json') return 'jsonb';
  if (type === 'enum' || type === 'character varying' || type === 'citext') return 'text';
  if (type === 'character') return 'bpchar';
  if (type === 'bit') return 'bit varying';
  if (precision === undefined || precision === null) return type;
  if (type === 'numeric') return `numeric(${precision},${scale ?? 0})`;
  return type.replace(/^(timestamp|time|interval)/, `$1(${precision})`);
}

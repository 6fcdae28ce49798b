import type { Command } from 'commander';
import { planEntries } from '../../plans/plans.js';
import { type Json, print, table } from '../../../kernel/terminal/print.js';

/** `petstore plans …` */
export function addPlansCommand(program: Command): void {
  const plans = program.command('plans').description('Show the plans of keys.');
  plans.command('list').description('List all plans.').option('--json', 'print a JSON array').action(list);
}

function list({ json }: Json): void {
  const rows = planEntries().map(([plan, { perMinute, perDay }]) => ({
    plan,
    perMinute: perMinute === 'custom' ? null : perMinute,
    perDay: perDay === 'custom' ? null : perDay,
  }));
  const cell = (limit: number | null) => (limit === null ? 'custom' : String(limit));
  print(json, rows, () =>
    table(
      ['PLAN', 'PER MINUTE', 'PER DAY'],
      rows.map(({ plan, perMinute, perDay }) => [plan, cell(perMinute), cell(perDay)]),
    ),
  );
}

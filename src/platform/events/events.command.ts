import { type Command, InvalidArgumentError, Option } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseConfig } from '../database/database.config.js';
import { withDatabase } from '../database/with-database.js';
import { EventSequencer } from './event-sequencer.js';
import { EVENT_TYPES } from './event-type.js';
import { EventsService } from './events.service.js';
import { seconds } from '../clock/duration.js';
import { Config } from '../config/config.js';
import type { EventRow } from './dto/event.response.js';
import { type Json, visible } from '../json/print.js';
import { requireDataFolder } from '../database/require-data-folder.js';

const ASK_EVERY = seconds(1);
const PAGE = 100;

interface TailOptions extends Json {
  readonly last: number;
  readonly type?: string;
  readonly follow: boolean;
}

/** `petstore events …` */
export function addEventsCommand(program: Command): void {
  const events = program.command('events').description('Read the event feed.');
  events
    .command('tail')
    .description('Print the newest events, then new ones until Ctrl-C.')
    .addOption(
      new Option('--last <n>', 'how many of the newest events to print first')
        .argParser(upTo1000)
        .default(10),
    )
    .addOption(new Option('--type <type>', 'only of this type').choices(EVENT_TYPES))
    .option('--no-follow', 'do not wait for later events')
    .option('--json', 'print each event as a line of JSON')
    .action(tail);
}

async function tail({ last, type, follow, json }: TailOptions): Promise<void> {
  const config = new Config().read(DatabaseConfig);
  requireDataFolder(config, 'events');
  process.exitCode = 0; // also when a signal ends it
  await withDatabase(config, async (dataSource) => {
    const feed = new EventsService(dataSource, new EventSequencer(dataSource));
    const start = await feed.newestId(); // if there are no events to print, start after the newest one
    const newest = await feed.last(last, type);
    for (const event of newest) write(event, json);
    let after = newest.at(-1)?.id ?? start;
    while (follow) {
      const events = await feed.after(after, PAGE, type);
      for (const event of events) write(event, json);
      after = events.at(-1)?.id ?? after;
      if (events.length < PAGE) await delay(ASK_EVERY);
    }
  });
}

function write({ id, type, version, occurredAt, data }: EventRow, json: true | undefined): void {
  const at = occurredAt.toISOString();
  const text = visible(data); // still the same JSON
  process.stdout.write(
    json
      ? `{"id":${id},"type":"${type}","version":${version},"occurredAt":"${at}","data":${text}}\n`
      : `${at}  ${id}  ${type}  ${text}\n`,
  );
}

function upTo1000(value: string): number {
  const number = /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (number <= 1_000) return number;
  throw new InvalidArgumentError('It must be a whole number from 0 to 1000.');
}

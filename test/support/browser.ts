import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { skipped } from './skipped.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Finds Chromium on this machine.
 * @throws if there is none in continuous integration, where the suite must not be skipped
 */
function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (found === undefined && process.env.CI === 'true') throw new Error('No Chromium on the PATH.');
  return found;
}

/**
 * `describe` if Chromium is installed, otherwise `describe.skip`, which the end of the run shows.
 * @param what is skipped without one
 * @param suite receives a function that starts the browser
 */
export function describeInBrowser(
  what: string,
  name: string,
  suite: (launch: () => Promise<Browser>) => void,
): void {
  const executablePath = findBrowser();
  const launch = () => chromium.launch({ executablePath, headless: true, args: FLAGS });
  if (executablePath === undefined) skipped(what, 'install Chromium');
  (executablePath === undefined ? describe.skip : describe)(name, () => {
    suite(launch);
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { runSample } from './run-sample.js';

/** The ```sh blocks of a page, in order. */
export const shellBlocks = (page: string): string[] =>
  [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

const MARK = '<<<< end of a block >>>>';

/** What each block prints, run one after the other in one shell, as a reader pastes them. The first that fails ends it. */
export async function runBlocks(blocks: readonly string[], folder: string): Promise<string[]> {
  const script = blocks.map((block) => `${block}\necho '${MARK}'\n`).join('');
  const { stdout, stderr } = await runSample('sh', ['-e', '-c', `cd "$FOLDER"\n${script}`], {
    FOLDER: folder,
  });
  const printed = stdout.split(`${MARK}\n`).slice(0, -1);
  if (printed.length < blocks.length)
    throw new Error(`${blocks[printed.length]}\nfailed: ${stdout}${stderr}`);
  return printed;
}

import { runSample } from './run-sample.js';

/** A page's code blocks in a language, in order. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

export const shellBlocks = (page: string): string[] => codeBlocks(page, 'sh');

const MARK = '<<<< end of a block >>>>';

/**
 * What each block prints when run one after the other in one shell, as a reader would paste them. Stops at the first
 * failure.
 */
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

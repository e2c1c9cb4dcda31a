/**
 * The arguments of the commands of this repository, as of `npm run robustness -- --minutes 30`. With
 * `--help` a command prints the comment that its file begins with, and its arguments; one that it does
 * not know ends it with a sentence.
 */
import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>;

const WRONG_ARGUMENTS = 2;

/**
 * Reads the arguments of the command in that file. Ends the process where they are wrong, or ask for
 * help: to be called before anything is begun.
 *
 * @param file the path of the file, `import.meta.filename`.
 */
export function runArguments<Config extends ParseArgsConfig>(
  file: string,
  config: Config,
): Parsed<Config> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usageOf(readFileSync(file, 'utf8'), config));
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${argumentsOf(config)}`); // parseArgs throws a TypeError.
    process.exit(WRONG_ARGUMENTS);
  }
}

/** Positional arguments apart: the whole numbers, and the others, each in their order. */
export function numbersAmong(words: readonly string[]): { numbers: number[]; others: string[] } {
  const isNumber = (word: string): boolean => /^\d+$/.test(word);
  return {
    numbers: words.filter(isNumber).map(Number),
    others: words.filter((word) => !isNumber(word)),
  };
}

/** What `--help` prints of a command with this source. */
export function usageOf(source: string, config: ParseArgsConfig): string {
  const from = source.indexOf('/**');
  const comment = source.slice(from + '/**'.length, source.indexOf('*/', from));
  const lines = comment.split('\n').map((line) => line.trim().replace(/^\* ?/, ''));
  return `${lines.join('\n').trim()}\n\n${argumentsOf(config)}`;
}

function argumentsOf({ options = {} }: ParseArgsConfig): string {
  const lines = Object.entries(options).map(([name, { type, multiple, default: usual }]) => {
    const value = type === 'boolean' ? '' : ' VALUE';
    const times = multiple === true ? ', may be given several times' : '';
    const isSaid = usual !== undefined && usual !== false && String(usual) !== '';
    return `  --${name}${value}${isSaid ? ` (${String(usual)})` : ''}${times}`;
  });
  return ['Arguments:', ...lines, '  --help'].join('\n');
}

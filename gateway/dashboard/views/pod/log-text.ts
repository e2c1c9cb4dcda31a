/**
 * The newest lines of a log, in blocks that do not change any more once they are full, so that a line at
 * the end costs the page one block and not the whole of it.
 */

/** Lines, from the oldest that is kept to the newest. */
export interface LogText {
  /** All but the last are full. */
  readonly blocks: readonly LogBlock[];
  /** What came behind the last end of a line. */
  readonly rest: string;
  /** How many lines came, those that were let go among them. */
  readonly count: number;
}

/** Some lines that lie behind each other. */
export interface LogBlock {
  /** Of its first line, counted from 0. */
  readonly from: number;
  readonly lines: readonly string[];
}

const BLOCK_LINES = 200;
/** How many blocks are kept: 20,000 lines. */
const BLOCKS_MAX = 100;
/** A line that does not end is cut off there. */
const LINE_MAX = 64 * 1_024;

export const EMPTY_LOG: LogText = { blocks: [], rest: '', count: 0 };

/** The log behind one more piece of text. */
export function appended({ blocks, rest, count }: LogText, piece: string): LogText {
  const lines = (rest + piece).split('\n').map((line) => line.slice(0, LINE_MAX));
  const open = lines.pop() ?? '';
  const last = blocks.at(-1);
  const isOpen = last !== undefined && last.lines.length < BLOCK_LINES;
  const next = isOpen ? blocks.slice(0, -1) : [...blocks];
  const loose = isOpen ? [...last.lines, ...lines] : lines;
  const from = isOpen ? last.from : count;
  for (let at = 0; at < loose.length; at += BLOCK_LINES) {
    next.push({ from: from + at, lines: loose.slice(at, at + BLOCK_LINES) });
  }
  return { blocks: next.slice(-BLOCKS_MAX), rest: open, count: count + lines.length };
}

/** How many lines are kept. */
export function keptLines({ blocks, count }: LogText): number {
  return count - (blocks[0]?.from ?? count);
}

/** Numbers within the block of the lines that have the text, in any case of letters; '' is in all. */
export function linesWith({ lines }: LogBlock, text: string): readonly number[] {
  const wanted = text.toLowerCase();
  return [...lines.keys()].filter((at) => lines[at]?.toLowerCase().includes(wanted) === true);
}

/** The line in pieces, each of which is the text, in any case of letters, or is not. */
export function pieces(line: string, text: string): readonly (readonly [string, boolean])[] {
  if (text === '') return [[line, false]];
  const [within, wanted] = [line.toLowerCase(), text.toLowerCase()];
  // Some letters are longer in lower case; then places in the one are none in the other.
  if (within.length !== line.length) return [[line, false]];
  const found: (readonly [string, boolean])[] = [];
  let from = 0;
  for (let at = within.indexOf(wanted); at !== -1; at = within.indexOf(wanted, from)) {
    if (at > from) found.push([line.slice(from, at), false]);
    from = at + wanted.length;
    found.push([line.slice(at, from), true]);
  }
  if (from < line.length) found.push([line.slice(from), false]);
  return found;
}

/** `bad` for a line that tells of an error, `busy` of a warning: by the words that loggers put there. */
export function levelOf(line: string): 'bad' | 'busy' | 'plain' {
  const start = line.slice(0, LEVEL_WITHIN);
  if (/\b(?:ERROR|FATAL|PANIC|CRITICAL)\b|level"?[=:]"?(?:error|fatal)|^[EF]\d{4} /i.test(start)) {
    return 'bad';
  }
  return /\bWARN(?:ING)?\b|level"?[=:]"?warn|^W\d{4} /i.test(start) ? 'busy' : 'plain';
}

const LEVEL_WITHIN = 120;

const ESCAPES = /\u001b\[[0-9;?]{0,40}[A-Za-z]/g;

/** Without the colours and moves that programs write for terminals. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, '');
}

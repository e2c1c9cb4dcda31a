/**
 * The messages of `v5.channel.k8s.io`, the protocol of commands that run in containers: the first byte of
 * each says which channel it is of.
 */

/** What a container has said. */
export type Heard =
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly text: string }
  | { readonly kind: 'nothing' };

/** The protocol that is asked for. */
export const EXEC_PROTOCOL = 'v5.channel.k8s.io';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** Text that was typed. */
export function typed(text: string): Uint8Array<ArrayBuffer> {
  return message(STDIN, text);
}

/** The size that the terminal has now, in characters. */
export function resized(columns: number, rows: number): Uint8Array<ArrayBuffer> {
  return message(RESIZE, JSON.stringify({ Width: columns, Height: rows }));
}

function message(channel: number, text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const whole = new Uint8Array(bytes.length + 1);
  whole[0] = channel;
  whole.set(bytes, 1);
  return whole;
}

/** Reads a message of the server. */
export function heard(whole: ArrayBuffer): Heard {
  const bytes = new Uint8Array(whole);
  const [channel] = bytes;
  const rest = bytes.subarray(1);
  if (rest.length === 0) return { kind: 'nothing' };
  if (channel === STDOUT || channel === STDERR) return { kind: 'output', bytes: rest };
  if (channel !== ERROR) return { kind: 'nothing' };
  return { kind: 'end', text: endText(new TextDecoder().decode(rest)) };
}

interface EndStatus {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { reason?: string; message?: string }[] };
}

/** How the command ended, of the Status that says so. */
function endText(json: string): string {
  let status: EndStatus;
  try {
    // The protocol says that it is a Status.
    status = JSON.parse(json) as EndStatus;
  } catch {
    return json;
  }
  if (status.status === 'Success') return 'The command has ended.';
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (code !== undefined) return `The command has ended with exit code ${code}.`;
  return status.message ?? 'The command has failed.';
}

/** Words of a command line: blanks part them, but not between quotes of one sort. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const letter of line) {
    if (quote !== '' && letter === quote) quote = '';
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * How much is logged: `-v`, which can be changed while the server runs, and `--vmodule`, which shows
 * more of the files whose names a pattern fits: `*`, `?`, `[a-z]`, `[^a-z]`, and a backslash before a
 * character that stands for itself. A malformed pattern fits nothing.
 *
 * In Kubernetes: klog/v2, internal/verbosity; in Go: path/filepath.Match.
 */
import { compileRegularExpression } from '../../api/meta/regular-expression.ts';

/** @returns whether a name, which has no slash, fits. */
function fileGlob(pattern: string): (name: string) => boolean {
  if (!/[\\*?[\]]/.test(pattern)) return (name) => name === pattern;
  const source = sourceOf(Array.from(pattern));
  const compiled = source === undefined ? undefined : compileRegularExpression(`^(?s:${source})$`);
  if (compiled?.ok !== true) return () => false;
  const { expression } = compiled;
  return (name) => expression.test(name);
}

function sourceOf(characters: readonly string[]): string | undefined {
  let source = '';
  for (let at = 0; at < characters.length;) {
    const read = partAt(characters, at);
    if (read === undefined) return undefined;
    source += read.source;
    at = read.end;
  }
  return source;
}

interface Part {
  readonly source: string;
  /** Where the next one begins. */
  readonly end: number;
}

function partAt(characters: readonly string[], at: number): Part | undefined {
  const character = characters[at];
  if (character === '*') return { source: '[^/]*', end: at + 1 };
  if (character === '?') return { source: '[^/]', end: at + 1 };
  if (character === '[') return classAt(characters, at);
  return literalAt(characters, at);
}

function literalAt(characters: readonly string[], at: number): Part | undefined {
  const isEscaped = characters[at] === '\\';
  const character = characters[isEscaped ? at + 1 : at];
  if (character === undefined) return undefined;
  return { source: quoted(character), end: at + (isEscaped ? 2 : 1) };
}

function classAt(characters: readonly string[], start: number): Part | undefined {
  const isNegated = characters[start + 1] === '^';
  let at = start + (isNegated ? 2 : 1);
  let ranges = '';
  while (ranges === '' || characters[at] !== ']') {
    const low = boundAt(characters, at);
    if (low === undefined) return undefined;
    const high = characters[low.end] === '-' ? boundAt(characters, low.end + 1) : low;
    if (high === undefined) return undefined;
    ranges += `${low.source}-${high.source}`;
    at = high.end;
  }
  return { source: `[${isNegated ? '^' : ''}${ranges}]`, end: at + 1 };
}

/** One end of a range. */
function boundAt(characters: readonly string[], at: number): Part | undefined {
  const character = characters[at];
  return character === '-' || character === ']' ? undefined : literalAt(characters, at);
}

function quoted(character: string): string {
  return /[\w/]/.test(character) || character > '\u007f' ? character : `\\${character}`;
}

/** One part of `--vmodule`. */
export interface ModuleVerbosity {
  /** Of a file's name without folder and ending: `httplog`, `kafka-*`. */
  readonly pattern: string;
  /** As of `-v`, for files that fit the pattern. */
  readonly verbosity: number;
}

/** The verbosity of now, for the whole server and for single files. */
export class Verbosity {
  #level: number;
  readonly #modules: readonly {
    readonly matches: (name: string) => boolean;
    readonly verbosity: number;
  }[];

  constructor(level: number, modules: readonly ModuleVerbosity[] = []) {
    this.#level = level;
    // klog passes over those of 0, so a later one counts for the same file.
    this.#modules = modules
      .filter(({ verbosity }) => verbosity > 0)
      .map(({ pattern, verbosity }) => ({ matches: fileGlob(pattern), verbosity }));
  }

  set(level: number): void {
    this.#level = level;
  }

  /** @param ofFile what {@link ofSite} gave. */
  shows(verbosity: number, ofFile: number): boolean {
    return verbosity <= this.#level || verbosity <= ofFile;
  }

  /** What `--vmodule` says of the file of a call site: the first pattern counts; 0: nothing. */
  ofSite(site: string): number {
    if (this.#modules.length === 0) return 0;
    const file = site.slice(site.lastIndexOf('/') + 1).replace(/\.ts:\d+$/, '');
    return this.#modules.find(({ matches }) => matches(file))?.verbosity ?? 0;
  }
}

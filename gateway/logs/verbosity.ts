/**
 * How much is logged: `-v`, which can be changed while the server runs, and `--vmodule`, which shows
 * more of some files.
 *
 * In Kubernetes: klog/v2, internal/verbosity.
 */
import { fileGlob } from './file-glob.ts';

/** One part of `--vmodule`. */
export interface ModuleVerbosity {
  /** Of a file's name without folder and ending: `httplog`, `kafka-*`. */
  readonly pattern: string;
  readonly verbosity: number;
}

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

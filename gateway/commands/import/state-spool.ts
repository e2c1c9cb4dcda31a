/**
 * Frames that come in any order and are wanted in the order of their versions: they wait in a file,
 * and only where they lie is in memory.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';

interface SpooledRange {
  readonly version: number;
  readonly at: number;
  readonly length: number;
}

export class StateSpool {
  readonly #path: string;
  readonly #file: number;
  readonly #places: SpooledRange[] = [];
  #end = 0;

  /** @param folder in which the file is made. */
  constructor(folder: string) {
    this.#path = join(folder, 'state.spool');
    this.#file = openSync(this.#path, 'wx+', 0o600);
  }

  add(version: ResourceVersion, frame: Buffer): void {
    writeSync(this.#file, frame, 0, frame.length, this.#end);
    this.#places.push({ version, at: this.#end, length: frame.length });
    this.#end += frame.length;
  }

  *inOrder(): Generator<{ readonly version: ResourceVersion; readonly frame: Buffer }> {
    this.#places.sort((a, b) => a.version - b.version);
    for (const { version, at, length } of this.#places) {
      const frame = Buffer.allocUnsafeSlow(length);
      readSync(this.#file, frame, 0, length, at);
      yield { version: resourceVersion(version), frame };
    }
  }

  /** Removes the file. */
  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

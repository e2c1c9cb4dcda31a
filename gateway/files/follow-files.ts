/**
 * Looks now and then at files that may be exchanged under the running server, so on any file system
 * and through the links of ConfigMaps. What lies there is tried once: what was no good stays without
 * effect until it changes. A file that cannot be read is no good either.
 *
 * In Kubernetes: the controllers of apiserver/pkg/server/dynamiccertificates and the reloads of
 * configurations, which fsnotify wakes and which look each minute besides.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../api/meta/clock.ts';

export interface FollowedFiles {
  /** None: there is nothing to look at. */
  readonly files: readonly string[];
  /** What is in force, in the order of the files. */
  readonly texts: readonly string[];
  readonly everyMs: number;
  readonly clock: Clock;
  /** Ends it. */
  readonly until: AbortSignal;
  /**
   * What is no good is tried at every look, as what is wrong may lie elsewhere. Then the same failure
   * is told again and again.
   */
  readonly triesAgain?: boolean;
  /** Puts other texts in force, in the order of the files. @throws when they are no good. */
  readonly take: (texts: readonly string[]) => Promise<void> | void;
  /** Hears why what was found is not in force. Does not throw. */
  readonly failed: (error: unknown) => void;
}

export interface FollowedFile extends Omit<FollowedFiles, 'files' | 'texts' | 'take'> {
  readonly file: string;
  readonly text: string;
  readonly take: (text: string) => Promise<void> | void;
}

/** Looks at one file from now on. */
export function followFile({ file, text, take, ...parts }: FollowedFile): void {
  followFiles({
    ...parts,
    files: [file],
    texts: [text],
    take: ([found = '']) => take(found),
  });
}

/** Looks at files that belong together from now on. @returns looks at once, whatever the time. */
export function followFiles(parts: FollowedFiles): () => Promise<void> {
  const { files, clock, everyMs, until } = parts;
  const follower = new Follower(parts);
  let cancel = (): void => undefined;
  function later(): void {
    if (!until.aborted) cancel = clock.after(everyMs, () => void follower.look().then(later));
  }
  until.addEventListener('abort', () => {
    cancel();
  });
  if (files.length > 0) later();
  return () => follower.look();
}

class Follower {
  readonly #parts: FollowedFiles;
  /** What is not tried again; undefined: not all of them could be read. */
  #tried: string | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: FollowedFiles) {
    this.#parts = parts;
    this.#tried = contentKeyOf(parts.texts);
  }

  /** One look after the other: of two changes the second is the one that stays. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { files, take, failed, triesAgain = false } = this.#parts;
    const found = await contentsOf(files);
    const key = found.texts === undefined ? undefined : contentKeyOf(found.texts);
    if (key === this.#tried) return;
    if (!triesAgain) this.#tried = key;
    try {
      if (found.texts === undefined) throw found.error;
      await take(found.texts);
      this.#tried = key;
    } catch (error) {
      failed(error);
    }
  }
}

type Contents =
  { readonly texts: readonly string[] } | { readonly texts: undefined; readonly error: unknown };

async function contentsOf(files: readonly string[]): Promise<Contents> {
  try {
    return { texts: await Promise.all(files.map((file) => readFile(file, 'utf8'))) };
  } catch (error) {
    return { texts: undefined, error };
  }
}

function contentKeyOf(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

/**
 * Polls files that may be exchanged under the running server, so that it works on any file system
 * and through the links of ConfigMaps. A content is tried once: one that is refused has no effect, and
 * is not tried again until the files change. A file that cannot be read counts as refused.
 *
 * In Kubernetes: the controllers of apiserver/pkg/server/dynamiccertificates and the reloads of
 * configurations, which fsnotify wakes and which look each minute besides.
 */
import { readFile } from 'node:fs/promises';
import { concatMap, expand, of, takeUntil, timer } from 'rxjs';
import type { Clock } from '../../api/meta/clock.ts';
import { rxjsScheduler, whenAborted } from '../../api/meta/rxjs-clock.ts';

/** Files that belong together, as a certificate and its key. */
export interface FollowedFiles {
  /** Paths; none: nothing is polled. */
  readonly files: readonly string[];
  /** The contents in force, in the order of the files. */
  readonly texts: readonly string[];
  /** From the end of one look to the next. */
  readonly everyMs: number;
  readonly clock: Clock;
  /** Its abort ends the polling; a `take` that is under way is not broken off. */
  readonly until: AbortSignal;
  /**
   * Whether refused contents are tried at every look, because the cause may be elsewhere (a KMS plugin
   * that is down). Each failure is reported then.
   */
  readonly triesAgain?: boolean;
  /** Puts other texts in force, in the order of the files. @throws when it refuses them. */
  readonly take: (texts: readonly string[]) => Promise<void> | void;
  /** Is told why the contents that were found are not in force. Does not throw. */
  readonly failed: (error: unknown) => void;
}

/** A single file, with its text. */
export interface FollowedFile extends Omit<FollowedFiles, 'files' | 'texts' | 'take'> {
  readonly file: string;
  readonly text: string;
  readonly take: (text: string) => Promise<void> | void;
}

/** Polls one file from now on. */
export function followFile({ file, text, take, ...parts }: FollowedFile): void {
  followFiles({
    ...parts,
    files: [file],
    texts: [text],
    take: ([found = '']) => take(found),
  });
}

/** Polls files that belong together from now on: each look a while after the one before has ended. */
export function followFiles(parts: FollowedFiles): void {
  const { files, texts, clock, everyMs, until } = parts;
  if (files.length === 0) return;
  const next = timer(everyMs, rxjsScheduler(clock));
  of(contentKeyOf(texts))
    .pipe(
      expand((tried: string | undefined) => next.pipe(concatMap(() => look(parts, tried)))),
      takeUntil(whenAborted(until)),
    )
    .subscribe();
}

/**
 * @param tried what is not tried again; undefined: not all of the files could be read.
 * @returns the same for the next look.
 */
async function look(parts: FollowedFiles, tried: string | undefined): Promise<string | undefined> {
  const { files, take, failed, triesAgain = false } = parts;
  const found = await contentsOf(files);
  const key = found.texts === undefined ? undefined : contentKeyOf(found.texts);
  if (key === tried) return tried;
  try {
    if (found.texts === undefined) throw found.error;
    await take(found.texts);
    return key;
  } catch (error) {
    failed(error);
    return triesAgain ? tried : key;
  }
}

type Contents =
  | { readonly texts: readonly string[] }
  | { readonly texts: undefined; readonly error: unknown };

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

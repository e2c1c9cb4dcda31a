/**
 * What a committed file must not know: where on a developer's machine it lies, and which package
 * registry it came through.
 */
import type { House, TextFile, Violations } from './house.ts';

const FOLDERS = ['root', 'work', 'home', 'tmp', 'Users', 'builder', 'mnt'].join('|');
/** An absolute path at the start of a word; `./root-index.ts` and `a/work/b` are none. */
const MACHINE_PATH = new RegExp(`(?<![\\w.@$}*/:-])/(?:${FOLDERS})(?![\\w-])`);
/** Hosts that serve packages, and the settings that name one. */
const REGISTRY = new RegExp(
  [
    'registry\\.(?:npmjs|yarnpkg)\\.',
    '(?:proxy|sum)\\.golang\\.org',
    '(?:files\\.pythonhosted|pypi)\\.org',
    '^(?:@[\\w-]+:)?registry\\s*=',
    '(?:extra-)?index[-]url',
    'GOPROXY[=]',
    '"resolved"[:] "http',
  ].join('|'),
  'm',
);

export function machinePlaces(house: House): Violations {
  return house.files.flatMap((file) => [
    ...linesWith(file, MACHINE_PATH, 'a path of one machine'),
    ...linesWith(file, REGISTRY, 'a package registry'),
  ]);
}

function linesWith(file: TextFile, pattern: RegExp, what: string): readonly string[] {
  if (!pattern.test(file.text)) return [];
  return file.text.split('\n').flatMap((line, at) => {
    const found = pattern.exec(line)?.[0];
    return found === undefined ? [] : [`${file.path}:${String(at + 1)}: ${what}: ${found.trim()}`];
  });
}

/** What `npm ci` installs is what was chosen: no byte else, and no program else runs meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const file = join(import.meta.dirname, '../package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const installed = Object.entries(packages).filter(([path]) => path !== '');

it('has a checksum of every package, and takes none from anywhere but the registry', () => {
  const isOdd = ({ integrity = '', resolved, link }: LockedPackage): boolean =>
    !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ||
    link === true ||
    (resolved !== undefined && !resolved.startsWith('https://'));
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, one]) => isOdd(one)).map(([path]) => path)).toEqual([]);
});

it('knows the packages that run a program when they are installed', () => {
  const names = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect([...new Set(names)].sort()).toEqual([
    'cpu-features', // Of testcontainers, as is ssh2.
    'esbuild',
    'lmdb',
    'msgpackr-extract',
    'protobufjs', // Looks at its version, and no more.
    'ssh2',
  ]);
});

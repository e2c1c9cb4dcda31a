/** What `npm ci` installs is what was chosen: no byte else, and no program else runs meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
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

it('has no package for newer Nodes than the oldest that is supported, but those that are only read', () => {
  const floor = [20, 20, 0];
  const names = installed
    .filter(([, { engines }]) => !isWithin(engines?.node ?? '*', floor))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(names.sort()).toEqual([
    '@kubernetes-models/apimachinery',
    '@kubernetes-models/base',
    '@kubernetes-models/validate',
    'kubernetes-models',
  ]);
  expect(['>=22', '^22 || >=24', '>=20.21', '~18.1'].map((one) => isWithin(one, floor))).toEqual(
    Array(4).fill(false),
  );
});

/** Whether a range as packages write them holds the version; it must hold one of its parts wholly. */
function isWithin(range: string, version: readonly number[]): boolean {
  return range.split('||').some((part) => {
    const bounds = [...part.matchAll(/(>=|<=|>|<|\^|~|=)?\s*v?(\d+|\*|x)((?:\.(?:\d+|x|\*))*)/g)];
    return bounds.every(([, sign = '=', major = '*', rest = '']) => {
      if (!/^\d+$/.test(major)) return true;
      const given = [major, ...rest.split('.').slice(1)]
        .filter((one) => /^\d+$/.test(one))
        .map(Number);
      const order = compared(version, given);
      const same = given.every(
        (one, at) => at > (sign === '~' ? 1 : sign === '=' ? 2 : 0) || one === version[at],
      );
      if (sign === '<') return order < 0;
      if (sign === '<=') return order <= 0;
      if (sign === '>') return order > 0;
      return sign === '>=' ? order >= 0 : order >= 0 && same;
    });
  });
}

function compared(left: readonly number[], right: readonly number[]): number {
  for (const [at, one] of left.entries()) {
    const difference = one - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

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

/**
 * What a package for machines without Node has in it:
 *
 *     bin/everwatch       a script for /bin/sh, which needs no other program
 *     lib/node            the Node that made the package
 *     lib/everwatch/      dist/ and the packages that are not bundled, as npm puts them
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const EXECUTABLE = 0o755;
/** What programs of packages never read. */
const UNREAD = new Set(['.map', '.ts', '.mts', '.cts', '.md', '.c', '.cc', '.cpp', '.h', '.gyp']);
const TEXTS = ['package.json', 'LICENSE', 'NOTICE', 'README.md'];

const PROGRAM = `#!/bin/sh
# Runs Everwatch with the Node beside it.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=\${self%/*}/$target ;; esac
done
case $self in */*) here=\${self%/*} ;; *) here=. ;; esac
case \${0##*/} in kube-apiserver) set -- serve --bind-address=0.0.0.0 "$@" ;; esac
exec "$here/../lib/node" "$here/../lib/everwatch/dist/everwatch.js" "$@"
`;

/** `everwatch-0.1.0-linux-x64`. */
export function packageName(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `everwatch-${version}-${process.platform}-${process.arch}`;
}

/** @param folder is made. The server has to be built. */
export function stagePackage(folder: string): void {
  const lib = join(folder, 'lib', 'everwatch');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(lib, { recursive: true });
  const program = join(folder, 'bin', 'everwatch');
  writeFileSync(program, PROGRAM);
  copyFileSync(process.execPath, join(folder, 'lib', 'node'));
  for (const path of [program, join(folder, 'lib', 'node')]) chmodSync(path, EXECUTABLE);
  for (const name of TEXTS) copyFileSync(join(ROOT, name), join(lib, name));
  cpSync(join(ROOT, 'dist'), join(lib, 'dist'), { recursive: true, filter: isRead });
  for (const path of installedPackages()) {
    cpSync(path, join(lib, relative(ROOT, path)), {
      recursive: true,
      // Those inside are listed themselves.
      filter: (one) => isRead(one) && (one === path || basename(one) !== 'node_modules'),
    });
  }
}

function isRead(path: string): boolean {
  return !UNREAD.has(extname(path));
}

/** Absolute paths of all packages that are no packages of development. */
function installedPackages(): readonly string[] {
  const argv = ['ls', '--omit=dev', '--all', '--parseable'];
  const text = execFileSync('npm', argv, { cwd: ROOT, encoding: 'utf8' });
  return text.split('\n').filter((path) => path.startsWith(join(ROOT, 'node_modules/')));
}

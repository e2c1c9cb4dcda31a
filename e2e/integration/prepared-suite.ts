/**
 * Kubernetes' own integration tests as a Go module that can be built: copies of them, in which the packages that start
 * kube-apiserver in the process of a test are those of `suite`, which start this server as a process. A copy, since Go
 * lets nothing in its module cache be replaced.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  chmodSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

import { run } from '../support/command.ts';
import { goModule } from '../support/go-module.ts';

const RELEASE = '36.3';
const SUITE = join(import.meta.dirname, 'suite');
const MODULE = 'everwatch.dev/e2e/integration';
const BUILD_TIMEOUT_MS = 20 * 60_000;
const WRITABLE = 0o200;
/** The module cache keeps no rights to execute, which one script of the tests is not to have. */
const EXECUTABLE = 0o100;
const NOT_EXECUTABLE = 'exec-plugin-not-executable.sh';

/** What tests import, and from where they get it here. */
const REPLACED: readonly (readonly [of: string, by: string])[] = [
  ['k8s.io/kubernetes/test/integration', `${MODULE}/kubernetes/test/integration`],
  ['k8s.io/kubernetes/cmd/kube-apiserver/app/testing', `${MODULE}/testserver`],
  ['k8s.io/apiextensions-apiserver/test/integration', `${MODULE}/apiextensions/test/integration`],
  ['k8s.io/apiextensions-apiserver/pkg/cmd/server/testing', `${MODULE}/extensionserver`],
];
/** Sockets with abstract names, which Node 20 does not reach: they are files instead. */
const ABSTRACT_ENDPOINT = 'unix:///@';
const ABSTRACT_NAME = '"@';
const MAKES_ABSTRACT_NAMES = '.MakeSocketNameForTest(';
const NAMES_OF_SOCKETS = 'k8s.io/apimachinery/pkg/util/net/testing';
/** Clients of an etcd that is not there, which would wait for it. */
const ETCD_CLIENT = 'clientv3.New(';
const NO_ETCD = 'testserver.NoEtcd(';

/** Where the tests of a package lie in the module. */
export function folderOf(module: string, name: string): string {
  const [first, ...rest] = name.split('/');
  const isOfExtensions = first === 'apiextensions';
  return isOfExtensions
    ? join(module, 'apiextensions/test/integration', ...rest)
    : join(module, 'kubernetes/test/integration', name);
}

/** Writes the module into that folder. @throws where there is no Go, or a module cannot be had. */
export async function prepareSuite(folder: string): Promise<void> {
  const kubernetes = await goModule(`k8s.io/kubernetes@v1.${RELEASE}`);
  const extensions = await goModule(`k8s.io/apiextensions-apiserver@v0.${RELEASE}`);
  rmSync(folder, { recursive: true, force: true });
  copy(join(kubernetes, 'test/integration'), join(folder, 'kubernetes/test/integration'));
  copy(join(extensions, 'test/integration'), join(folder, 'apiextensions/test/integration'));
  copy(
    join(kubernetes, 'cmd/kube-apiserver/app/testing/testdata'),
    join(folder, 'testserver/testdata'),
  );
  for (const part of ['testserver', 'extensionserver', 'sockets', 'go.mod', 'go.sum']) {
    copy(join(SUITE, part), join(folder, part));
  }
  const framework = join(folder, 'kubernetes/test/integration/framework');
  copy(join(SUITE, 'framework'), framework);
  copy(join(SUITE, 'storage'), join(folder, 'apiextensions/test/integration/storage'));
  for (const file of goFiles(folder)) rewrite(file, join(folder, 'sockets'));
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const path of [to, ...everythingIn(to)])
    chmodSync(path, statSync(path).mode | rightsOf(path));
}

function rightsOf(path: string): number {
  const isProgram = path.endsWith('.sh') && !path.endsWith(NOT_EXECUTABLE);
  return isProgram ? WRITABLE | EXECUTABLE : WRITABLE;
}

function everythingIn(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  );
}

function goFiles(folder: string): string[] {
  return everythingIn(folder).filter((path) => path.endsWith('.go'));
}

/** @param sockets a folder for them. */
function rewrite(file: string, sockets: string): void {
  const text = readFileSync(file, 'utf8');
  let made = text;
  for (const [of, by] of REPLACED) {
    made = made.replaceAll(`"${of}"`, `"${by}"`).replaceAll(`"${of}/`, `"${by}/`);
  }
  if (file.includes('apiextensions') && made.includes(ETCD_CLIENT)) {
    made = made
      .replaceAll(ETCD_CLIENT, NO_ETCD)
      .replace('import (\n', `import (\n\ttestserver "${MODULE}/testserver"\n`);
  }
  if (made.includes(MAKES_ABSTRACT_NAMES)) {
    made = made.replace(NAMES_OF_SOCKETS, `${MODULE}/sockets`);
  }
  if (made.includes(ABSTRACT_ENDPOINT)) {
    made = made
      .replaceAll(ABSTRACT_ENDPOINT, `unix://${sockets}/`)
      .replaceAll(ABSTRACT_NAME, `"${sockets}/`);
  }
  if (made !== text) writeFileSync(file, made);
}

/** The program of a package's tests. @throws where it cannot be built. */
export async function buildTests(module: string, name: string): Promise<string> {
  const folder = folderOf(module, name);
  // Its name is that of a field manager in some tests.
  const program = join(folder, `${basename(folder)}.test`);
  // Two compilers at a time, as elsewhere.
  const args = ['test', '-c', '-p', '2', '-ldflags', `-s -w ${stamps()}`, '-o', program, '.'];
  const { code, stderr } = await run('go', args, {
    cwd: folder,
    env: { ...process.env, GOFLAGS: '-buildvcs=false -mod=readonly', GOWORK: 'off' },
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`the tests of ${name} cannot be built: ${stderr.trim()}`);
  return program;
}

/** Kubernetes gives its version to programs when they are linked. */
function stamps(): string {
  const [minor = ''] = RELEASE.split('.');
  const values = { gitVersion: `v1.${RELEASE}`, gitMajor: '1', gitMinor: minor };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}

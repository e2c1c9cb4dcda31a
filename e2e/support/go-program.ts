/**
 * Builds the Go clients of e2e/go. The first build on a machine takes minutes.
 */
import { join } from 'node:path';

import { cached } from './client-cache.ts';
import { run } from './command.ts';

export type GoProgram = 'kubectl' | 'clientgo-check' | 'controller-check';

const MODULE = join(import.meta.dirname, '../go');
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** Path of the built program. @throws where there is no Go, or it does not build. */
export function goProgram(name: GoProgram): Promise<string> {
  return cached({
    name,
    sources: [join(MODULE, 'go.mod'), join(MODULE, 'go.sum'), join(MODULE, 'cmd', name)],
    build: (path) => build(name, path),
  });
}

async function build(name: GoProgram, path: string): Promise<void> {
  const env = { ...process.env, GOFLAGS: '-buildvcs=false -mod=readonly', GOWORK: 'off' };
  const linking = `-s -w ${await versionFlags(env)}`;
  console.info(`Building the real client ${name}; on a fresh machine this takes minutes.`);
  // Two compilers at a time: more would take the memory that the tests need.
  const args = ['build', '-p', '2', '-o', path, '-ldflags', linking, `./cmd/${name}`];
  const { code, stderr } = await run('go', args, {
    cwd: MODULE,
    env,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`go build ./cmd/${name} failed: ${stderr.trim()}`);
}

/** Kubernetes stamps its version into binaries at linking; kubectl compares it with the server's. */
async function versionFlags(env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['list', '-m', '-f', '{{.Version}}', 'k8s.io/client-go'];
  const { code, stdout, stderr } = await run('go', args, { cwd: MODULE, env });
  if (code !== 0) throw new Error(`go list failed: ${stderr.trim()}`);
  const [, minor = '', patch = ''] = stdout.trim().split('.');
  const stamps = { gitVersion: `v1.${minor}.${patch}`, gitMajor: '1', gitMinor: minor };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return packages
    .flatMap((place) =>
      Object.entries(stamps).map(([name, value]) => `-X ${place}.${name}=${value}`),
    )
    .join(' ');
}

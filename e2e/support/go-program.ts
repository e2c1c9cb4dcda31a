/**
 * Builds the Go programs of e2e/go and of the other Go modules beside it. The first build on a machine
 * takes minutes.
 */
import { join } from 'node:path';

import { cached } from '../../tools/build-cache.fixture.ts';
import { run } from './command.ts';

/** Where each lies: the folder of its module, and its package in there or of a module that it requires. */
const PROGRAMS = {
  kubectl: { module: '../go', path: './cmd/kubectl' },
  'clientgo-check': { module: '../go', path: './cmd/clientgo-check' },
  'apply-check': { module: '../go', path: './cmd/apply-check' },
  'conversion-check': { module: '../go', path: './cmd/conversion-check' },
  'webhook-check': { module: '../go', path: './cmd/webhook-check' },
  'controller-check': { module: '../go', path: './cmd/controller-check' },
  'envtest-check': { module: '../go', path: './cmd/envtest-check' },
  'envtest-start': { module: '../go', path: './cmd/envtest-start' },
  'envtest-suite': { module: '../go', path: './cmd/envtest-suite' },
  'envtest-planes': { module: '../go', path: './cmd/envtest-planes', with: 'everwatchtest' },
  'setup-envtest': {
    module: '../go-setup-envtest',
    path: 'sigs.k8s.io/controller-runtime/tools/setup-envtest',
  },
  'cluster-suite': {
    module: '../go-envtest-suites',
    path: 'sigs.k8s.io/controller-runtime/pkg/cluster',
    isTest: true,
  },
  'gateway-suite': {
    module: '../go-envtest-suites',
    path: 'sigs.k8s.io/gateway-api/pkg/test/cel',
    isTest: true,
  },
  conformance: {
    module: '../conformance/suite',
    path: 'k8s.io/kubernetes/test/e2e',
    isTest: true,
  },
  'writer-check': { module: '../go', path: './cmd/writer-check' },
  'flood-check': { module: '../go', path: './cmd/flood-check' },
  'rate-load': { module: '../go', path: './cmd/rate-load' },
  'informer-past': { module: '../go', path: './cmd/informer-past' },
  'informer-moving': { module: '../go', path: './cmd/informer-moving' },
  'kube-controller-manager': {
    module: '../go-control-plane',
    path: './cmd/kube-controller-manager',
  },
  'kube-scheduler': { module: '../go-control-plane', path: './cmd/kube-scheduler' },
  kwok: { module: '../go-kwok', path: '.' },
  'kube-apiserver': { module: '../go-peer', path: '.' },
  helm: { module: '../go-helm', path: '.' },
  k9s: { module: '../go-k9s', path: '.' },
  'topic-reader': { module: '../go-kafka', path: '.' },
  'kms-plugin': { module: '../go-kms', path: '.' },
  kubelet: { module: '../go-kubelet', path: '.' },
  'kubectl-1.30': { module: '../old-kubectl', path: '.' },
  'streams-check': { module: '../go', path: './cmd/streams-check' },
  konnectivity: { module: '../go-konnectivity', path: '.' },
  kubeadm: { module: '../go-kubeadm', path: '.' },
  'sample-apiserver': { module: '../go-sample', path: '.' },
  'jwt-signer': { module: '../go-signer', path: '.' },
  'metrics-server': { module: '../go-metrics', path: './cmd/metrics-server' },
  'metrics-adapter': { module: '../go-metrics', path: './cmd/metrics-adapter' },
} as const;

export type GoProgram = keyof typeof PROGRAMS;

const BUILD_TIMEOUT_MS = 20 * 60_000;

/** Path of the built program. @throws where there is no Go, or it does not build. */
export function goProgram(name: GoProgram): Promise<string> {
  const folder = join(import.meta.dirname, PROGRAMS[name].module);
  const sources = [join(folder, 'go.mod'), join(folder, 'go.sum')];
  const program = PROGRAMS[name];
  const { path: place } = program;
  if ('with' in program) sources.push(join(folder, program.with));
  if (place.startsWith('.')) sources.push(join(folder, place === '.' ? 'main.go' : place));
  return cached({ name, sources, build: (path) => build(name, folder, path) });
}

async function build(name: GoProgram, folder: string, path: string): Promise<void> {
  const env = { ...process.env, GOFLAGS: '-buildvcs=false -mod=readonly', GOWORK: 'off' };
  const linking = `-s -w ${await versionFlags(folder, env)}`;
  console.info(`Building the real client ${name}; on a fresh machine this takes minutes.`);
  // Two compilers at a time: more would take the memory that the tests need.
  const command = 'isTest' in PROGRAMS[name] ? ['test', '-c'] : ['build'];
  const args = [...command, '-p', '2', '-o', path, '-ldflags', linking, PROGRAMS[name].path];
  const { code, stderr } = await run('go', args, {
    cwd: folder,
    env,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`go build of ${name} failed: ${stderr.trim()}`);
}

/** Kubernetes stamps its version into binaries at linking; kubectl compares it with the server's. */
async function versionFlags(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['list', '-m', '-f', '{{.Version}}', 'k8s.io/client-go'];
  const { code, stdout, stderr } = await run('go', args, { cwd: folder, env });
  if (stderr.includes('not a known dependency')) return ''; // No client of Kubernetes.
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

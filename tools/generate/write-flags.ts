/**
 * `npm run generate:flags`: writes the facts of kube-apiserver's command line anew: its flags, what pflag
 * answers to some texts of them, and the feature gates. The Go program e2e/go-peer/facts knows them; which
 * gates an API server reads at all is looked up in the source of the modules.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { goPackage } from './go-modules.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

interface GateFact {
  readonly name: string;
  /** Code of the API server asks for it; others are of the kubelet, the scheduler or the controllers. */
  readonly ofServer?: boolean;
}

interface Facts {
  readonly flags: readonly object[];
  readonly gates: readonly GateFact[];
  readonly answers: readonly object[];
}

/** Packages that kube-apiserver is made of. */
const SERVER_PACKAGES = [
  ...['api', 'apis', 'auth', 'controlplane', 'kubeapiserver', 'quota', 'registry', 'routes'].map(
    (name) => `k8s.io/kubernetes/pkg/${name}`,
  ),
  ...['k8s.io/kubernetes/pkg/serviceaccount', 'k8s.io/kubernetes/plugin', 'k8s.io/apiserver'],
  ...['k8s.io/apiextensions-apiserver', 'k8s.io/kube-aggregator'],
];

const MENTION = /\b\w*features\.([A-Z]\w+)/gi;
const OUTPUT_BYTES_MAX = 1 << 24;

function mentionedIn(folder: string, found: Set<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) mentionedIn(path, found);
    if (!entry.name.endsWith('.go') || entry.name.endsWith('_test.go')) continue;
    if (entry.name === 'kube_features.go') continue; // It declares them.
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(MENTION)) found.add(name);
  }
}

function lines(facts: readonly object[]): string {
  return `[\n${facts.map((fact) => `  ${JSON.stringify(fact)}`).join(',\n')}\n]\n`;
}

const folder = new URL('../../e2e/go-peer', import.meta.url);
const env = { ...process.env, GOFLAGS: '-buildvcs=false -mod=readonly', GOWORK: 'off' };
const output = execFileSync('go', ['run', './facts'], {
  ...{ cwd: folder, env, encoding: 'utf8' as const, maxBuffer: OUTPUT_BYTES_MAX },
});
const { flags, gates, answers } = JSON.parse(output) as Facts;
const mentioned = new Set<string>();
for (const name of SERVER_PACKAGES) mentionedIn(goPackage(name), mentioned);

const generated = new URL('../../api/generated/', import.meta.url);
writeFileSync(new URL('flags.json', generated), lines(flags));
writeFileSync(
  new URL('feature-gates.json', generated),
  lines(gates.map((gate) => (mentioned.has(gate.name) ? { ...gate, ofServer: true } : gate))),
);
const golden = new URL('../../gateway/flags/flag-answers.golden.json', import.meta.url);
writeFileSync(golden, lines(answers));

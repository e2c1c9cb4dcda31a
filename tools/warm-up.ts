/**
 * Starts a built server for the build: `warm-up.ts objects FOLDER SCRATCH` until it has written all that every
 * control plane has; `warm-up.ts code FOLDER SCRATCH` asks it what test suites ask first, as their clients do, and writes the code that has
 * been compiled by then beside the program.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { BenchClient } from '../bench/bench-client.ts';
import { compiledCodeFile, compileProgram } from '../gateway/commands/load-program.ts';
import { WarmUpClient } from './warm-up-client.ts';

const [mode = '', folder = '', scratch = ''] = process.argv.slice(2);
const TRIES = 600;
const PAUSE_MS = 50;
const tokens = join(scratch, 'tokens.csv');
writeFileSync(tokens, 'of-the-build,admin,admin,system:masters\n');

const file = compiledCodeFile(folder);
const known = existsSync(file) ? readFileSync(file) : undefined;
const { program, script } = compileProgram(folder, known);
await program.runProcess(
  [
    ...['serve', `--data-dir=${join(scratch, 'data')}`, '--secure-port=0'],
    ...['--bind-address=127.0.0.1', '--authorization-mode=RBAC', '--controllers=-*'],
    ...['--disable-admission-plugins=ServiceAccount', `--token-auth-file=${tokens}`],
    // Further flags of the engine would bind the code to them.
    '--memory-footprint=large',
  ],
  'everwatch',
);
const kubeconfig = readFileSync(join(scratch, 'data', 'admin.kubeconfig'), 'utf8');
const [, url = ''] = /server: (\S+)/.exec(kubeconfig) ?? [];
const client = new BenchClient(url, 'of-the-build', 1);

/** Each says by a condition whether its priority level exists, some time behind the start. */
async function haveConditions(): Promise<boolean> {
  const { text } = await client.ask('GET', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas');
  const { items } = JSON.parse(text) as { items: { status: { conditions?: unknown[] } }[] };
  return items.length > 0 && items.every(({ status }) => status.conditions !== undefined);
}

for (let tries = 0; !(await haveConditions()); tries += 1) {
  if (tries === TRIES) throw new Error('flow schemas have no conditions');
  await setTimeout(PAUSE_MS);
}
if (mode === 'objects') process.exit(0);

const GROUP = 'build.example.com';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
const metadata = { name: 'one', labels: { app: 'one' } };
const hook = {
  name: `one.${GROUP}`,
  rules: [{ apiGroups: [GROUP], apiVersions: ['v1'], operations: ['DELETE'], resources: ['none'] }],
  clientConfig: { url: 'https://127.0.0.1:1/none' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const asked: readonly (readonly [string, string, unknown?, string?])[] = [
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/api'],
  ['GET', '/apis'],
  ['GET', '/api/v1'],
  ['POST', DEFINITIONS, definition],
  ['GET', `${DEFINITIONS}/things.${GROUP}`],
  ['POST', HOOKS, { kind: 'ValidatingWebhookConfiguration', metadata, webhooks: [hook] }],
  ['POST', MAPS, { metadata, data: { key: 'value' } }],
  ['GET', `${MAPS}/one`],
  ['PUT', `${MAPS}/one`, { metadata, data: { key: 'other' } }],
  ['PATCH', `${MAPS}/one`, { data: { key: 'third' } }, MERGE],
  ['GET', MAPS],
  ['GET', `${MAPS}?limit=1`],
  ['GET', `${MAPS}?labelSelector=app%3Done`],
  ['GET', `${MAPS}?watch=1&resourceVersion=0&timeoutSeconds=1`],
  ['DELETE', `${MAPS}/one`],
  ['POST', '/api/v1/namespaces', { metadata }],
];
const asKubectl = new WarmUpClient(url, { cert: given('certificate'), key: given('key') });
for (const [method, path, body, type] of asked) {
  await asKubectl.ask({ method, path, body, type });
}
asKubectl.close();

/** What the kubeconfig has of the client. */
function given(what: string): string {
  const [, data = ''] = new RegExp(`client-${what}-data: (\\S+)`).exec(kubeconfig) ?? [];
  return Buffer.from(data, 'base64').toString();
}

// A server sets the flag itself, behind the moment at which it takes the code: see collector.ts.
setFlagsFromString('--parallel-scavenge');
writeFileSync(file, script.createCachedData());
process.exit(0);

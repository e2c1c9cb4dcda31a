/**
 * `npm run robustness:replay -- [--objects 10000]`: objects of every kind are made on a server, recorded
 * from it as from a foreign cluster, and replayed to an empty server; then both are listed. Prints how many
 * objects of which resources did not arrive, or arrived otherwise; code 1 where there are any.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatJson } from '../../api/json/json-text.ts';
import { parityKinds } from '../oracles/parity/parity-kinds.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, listAt, parseJson, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { startEverwatch } from './everwatch.ts';
import { recordable, untilRecorded } from './recorded.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: { objects: { type: 'string', default: '10000' } },
});
const OBJECTS = Number(values.objects);
const ARGS = ['--disable-admission-plugins=ServiceAccount,Priority'];
const NAMESPACE = 'replayed';
/** How many differences are told in full. */
const SHOWN = 30;
/** What each cluster has of itself: it is not replayed. */
const OF_CLUSTER = [
  'core/configmaps kube-system/extension-apiserver-authentication',
  'core/services default/kubernetes',
  'core/endpoints default/kubernetes',
  'discovery.k8s.io/endpointslices default/kubernetes',
  'networking.k8s.io/servicecidrs /kubernetes',
];
/** What only the server that has an object can say. */
const OWN = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

const folder = mkdtempSync(join(tmpdir(), 'everwatch-replay-'));
const source = await startServer({ args: ARGS });
const client = adminClient(source);
const paths = await recordable(client);
const made = await makeObjects();
const recorded = join(folder, 'recorded');
const recorder = startEverwatch([
  'record',
  '--kubeconfig',
  source.kubeconfig,
  '--data-dir',
  recorded,
]);
await untilRecorded(client, recorded, 'last');
recorder.kill('SIGINT');
await recorder.ended;
const target = await startServer({ args: ARGS });
const other = adminClient(target);
const began = performance.now();
const replay = startEverwatch(['replay', recorded, '--to', target.kubeconfig, '--speed', 'max']);
const { code } = await replay.ended;
const said = { code, stdout: replay.stdout(), stderr: replay.stderr() };
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
console.log(
  `${String(made)} objects made; replayed in ${seconds} s, code ${String(said.code)}: ${said.stdout}`,
);
console.log(
  said.stderr
    .split('\n')
    .filter((line) => /version|owned/.test(line))
    .slice(0, 40)
    .join('\n'),
);
let different = 0;
for (const [resource, path] of paths) {
  const [left, right] = await Promise.all([objectsAt(client, path), objectsAt(other, path)]);
  for (const [name, text] of left) {
    if (right.get(name) === text || OF_CLUSTER.includes(`${resource} ${name}`)) continue;
    different += 1;
    if (different < SHOWN) tell(`${resource} ${name}`, text, right.get(name));
  }
}
console.log(`${String(different)} objects are missing or differ`);
client.close();
other.close();
await Promise.all([source.stop(), target.stop()]);
rmSync(folder, { recursive: true, force: true });
process.exit(different === 0 && said.code === 0 ? 0 : 1);

function tell(object: string, text: string, there: string | undefined): void {
  const how = there === undefined ? 'is missing' : `is another:\n  ${text}\n  ${there}`;
  console.log(`${object} ${how}`);
}

/** By namespace and name, without what must differ. */
async function objectsAt(of: AdminClient, path: string): Promise<Map<string, string>> {
  const { body } = await of.get(path);
  return new Map(
    listAt(body, 'items').map((item) => {
      const { metadata, ...rest } = item as JsonObject;
      const { ownerReferences, ...kept } = metadata as JsonObject;
      const entries = Object.entries(kept).filter(([key]) => !OWN.includes(key));
      const owners = listAt(ownerReferences).map((one) => textAt(one, 'name'));
      const text = JSON.stringify({ ...rest, metadata: Object.fromEntries(entries), owners });
      return [`${textAt(item, 'metadata', 'namespace')}/${textAt(item, 'metadata', 'name')}`, text];
    }),
  );
}

/** Each of the objects that the kinds have, and so many ConfigMaps that own one another. */
async function makeObjects(): Promise<number> {
  await client.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  let count = 0;
  for (const { bases } of parityKinds) {
    for (const base of bases) count += await makeOne(parseJson(formatJson(base)) as JsonObject);
  }
  let owner: JsonValue | undefined;
  const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  for (let nth = 0; count < OBJECTS; nth += 1) {
    const ownerReferences =
      owner === undefined || nth % 10 === 0
        ? []
        : [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: textAt(owner, 'metadata', 'name'),
              uid: textAt(owner, 'metadata', 'uid'),
            },
          ];
    const name = `map-${String((nth * 7_919) % 1_000_003)}`;
    const { status, body } = await client.post(maps, {
      metadata: { name, ownerReferences },
      data: { nth: String(nth) },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    owner = body;
    count += 1;
  }
  return count;
}

/** @returns 1 where it was taken. */
async function makeOne(base: JsonObject): Promise<number> {
  const apiVersion = textAt(base, 'apiVersion');
  const kind = textAt(base, 'kind');
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await client.get(root);
  const resource = listAt(body, 'resources').find(
    (one) => textAt(one, 'kind') === kind && !textAt(one, 'name').includes('/'),
  );
  if (resource === undefined) return 0;
  const isNamespaced = at(resource, 'namespaced') === true;
  const metadata = { ...(base['metadata'] as JsonObject) };
  for (const key of [...OWN, 'deletionTimestamp']) Reflect.deleteProperty(metadata, key);
  if (isNamespaced) metadata['namespace'] = NAMESPACE;
  const path = isNamespaced ? `${root}/namespaces/${NAMESPACE}` : root;
  const { status } = await client.post(`${path}/${textAt(resource, 'name')}`, {
    ...base,
    metadata,
  });
  return status === 201 ? 1 : 0;
}

/**
 * kubectl makes, shows, changes and deletes single objects.
 */
import { beforeAll, expect, it } from 'vitest';

import { at, parseJson, textAt } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { configMap, deployment, pod } from './manifests.ts';

await describeWith('kubectl', 'kubectl and objects', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);

  it('create: by hand and from a file', async () => {
    expect(await kubectl('create namespace made')).toBe('namespace/made created\n');
    const literal = await kubectl('create configmap hand --from-literal=a=1 -n made');
    expect(literal).toBe('configmap/hand created\n');
    const filed = await kubectl('create -n made -f -', { input: configMap('file', { a: '1' }) });
    expect(filed).toBe('configmap/file created\n');
    const secret = await kubectl('create secret generic hidden --from-literal=key=value -n made');
    expect(secret).toBe('secret/hidden created\n');
    expect(await kubectl("get secret hidden -n made -o 'jsonpath={.data.key}'")).toBe('dmFsdWU=');
    expect(await kubectl("get secret hidden -n made -o 'jsonpath={.type}'")).toBe('Opaque');
  });

  it('create: the kinds people meet first', async () => {
    const made = [
      'serviceaccount robot',
      'role reader --verb=get,list --resource=pods',
      'rolebinding readers --role=reader --serviceaccount=made:robot',
      'job once --image=example/job:1',
      'cronjob nightly --image=example/job:1 --schedule=@daily',
      'deployment web --image=example/web:1',
      'service clusterip web --tcp=80:8080',
      'quota few --hard=pods=3',
      'poddisruptionbudget web --selector=app=web --min-available=1',
      'ingress web --rule=example.com/=web:80',
    ];
    const names = [
      'serviceaccount/robot',
      'role.rbac.authorization.k8s.io/reader',
      'rolebinding.rbac.authorization.k8s.io/readers',
      'job.batch/once',
      'cronjob.batch/nightly',
      'deployment.apps/web',
      'service/web',
      'resourcequota/few',
      'poddisruptionbudget.policy/web',
      'ingress.networking.k8s.io/web',
    ];
    const said = [];
    for (const args of made) said.push(await kubectl(`create ${args} -n made`));
    expect(said).toEqual(names.map((name) => `${name} created\n`));
    const all = await kubectl('get all -n made -o name');
    expect(all.trim().split('\n').sort()).toEqual(
      ['cronjob.batch/nightly', 'deployment.apps/web', 'job.batch/once', 'service/web'].sort(),
    );
  });

  it('create: what exists already, and a namespace that does not', async () => {
    await kubectl('create configmap twice');
    const again = await kubectl.attempt('create configmap twice');
    expect(again.code).toBe(1);
    expect(again.stderr).toBe(
      'error: failed to create configmap: configmaps "twice" already exists\n',
    );
    const input = configMap('lost', {});
    const nowhere = await kubectl.attempt('create -n nowhere -f -', { input });
    expect(nowhere.stderr).toBe(
      'Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found\n',
    );
  });

  it('create: a name that is none is refused with the cause', async () => {
    const { code, stderr } = await kubectl.attempt('create -f -', { input: configMap('A_b', {}) });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b":',
    );
    expect(stderr).toContain('a lowercase RFC 1123 subdomain must consist of');
  });

  it('create: generateName', async () => {
    const manifest = configMap('', {}).replace('"name":""', '"generateName":"some-"');
    const said = await kubectl('create -f -', { input: manifest });
    expect(said).toMatch(/^configmap\/some-[a-z0-9]{5} created\n$/);
  });

  it('create --dry-run=server: answers as if, keeps nothing', async () => {
    const args = 'create deployment ghost --image=example/web:1 --dry-run=server';
    expect(await kubectl(args)).toBe('deployment.apps/ghost created (server dry run)\n');
    const answer = parseJson(await kubectl(`${args} -o json`));
    expect(textAt(answer, 'spec', 'strategy', 'type')).toBe('RollingUpdate');
    expect(textAt(answer, 'metadata', 'uid')).not.toBe('');
    const { code, stderr } = await kubectl.attempt('get deployment ghost');
    expect(code).toBe(1);
    expect(stderr).toBe('Error from server (NotFound): deployments.apps "ghost" not found\n');
  });

  it('label and annotate: add, refuse to overwrite, overwrite, remove', async () => {
    await kubectl('create configmap marked');
    expect(await kubectl('label configmap marked tier=one')).toBe('configmap/marked labeled\n');
    const refused = await kubectl.attempt('label configmap marked tier=two');
    expect(refused.stderr).toContain("'tier' already has a value (one), and --overwrite is false");
    await kubectl('label configmap marked tier=two --overwrite');
    expect(await kubectl('get cm -l tier=two -o name')).toBe('configmap/marked\n');
    expect(await kubectl('label configmap marked tier-')).toBe('configmap/marked unlabeled\n');
    expect(await kubectl('annotate configmap marked note=hello')).toBe(
      'configmap/marked annotated\n',
    );
    expect(await kubectl("get cm marked -o 'jsonpath={.metadata.annotations.note}'")).toBe('hello');
    const invalid = await kubectl.attempt('label configmap marked tier=-no-');
    expect(invalid.code).toBe(1);
  });

  it('patch: strategic, merge and json', async () => {
    await kubectl('create -f -', { input: deployment('patched') });
    const sidecar = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s:1"}]}}}}';
    const strategic = await kubectl(`patch deployment patched -p '${sidecar}'`);
    expect(strategic).toBe('deployment.apps/patched patched\n');
    const images = "get deployment patched -o 'jsonpath={.spec.template.spec.containers[*].image}'";
    expect((await kubectl(images)).split(' ').sort()).toEqual(['example/main:1', 's:1']);
    const merge = '{"metadata":{"labels":{"app":null,"merged":"yes"}}}';
    await kubectl(`patch deployment patched --type=merge -p '${merge}'`);
    const labels = "get deployment patched -o 'jsonpath={.metadata.labels}'";
    expect(await kubectl(labels)).toBe('{"merged":"yes"}');
    const operations = '[{"op":"replace","path":"/spec/replicas","value":4}]';
    await kubectl(`patch deployment patched --type=json -p '${operations}'`);
    expect(await kubectl("get deployment patched -o 'jsonpath={.spec.replicas}'")).toBe('4');
    const same = await kubectl(`patch deployment patched --type=json -p '${operations}'`);
    expect(same).toBe('deployment.apps/patched patched (no change)\n');
  });

  it('patch: an operation that fails, and a field of a wrong type', async () => {
    const failing = '[{"op":"test","path":"/spec/replicas","value":99}]';
    const tested = await kubectl.attempt(`patch deployment patched --type=json -p '${failing}'`);
    expect(tested.code).toBe(1);
    expect(tested.stderr).toContain(
      'the server rejected our request due to an error in our request',
    );
    const wrong = '{"spec":{"replicas":"many"}}';
    const typed = await kubectl.attempt(`patch deployment patched --type=merge -p '${wrong}'`);
    expect(typed.code).toBe(1);
    expect(typed.stderr).toMatch(/^The request is invalid: patch: Invalid value: /);
  });

  it('edit: an editor of one line', async () => {
    await kubectl('create configmap edited --from-literal=a=before');
    const env = { KUBE_EDITOR: "sed -i -e 's/before/after/'" };
    expect(await kubectl('edit configmap edited', { env })).toBe('configmap/edited edited\n');
    expect(await kubectl("get configmap edited -o 'jsonpath={.data.a}'")).toBe('after');
    const idle = await kubectl.attempt('edit configmap edited', { env: { KUBE_EDITOR: 'true' } });
    expect(idle.stderr).toBe('Edit cancelled, no changes made.\n');
  });

  it('replace: whole objects, and only ones of the version that was read', async () => {
    await kubectl('create configmap replaced --from-literal=a=1 --from-literal=b=1');
    const old = await kubectl('get configmap replaced -o json');
    const input = configMap('replaced', { a: '2' });
    expect(await kubectl('replace -f -', { input })).toBe('configmap/replaced replaced\n');
    expect(await kubectl("get configmap replaced -o 'jsonpath={.data}'")).toBe('{"a":"2"}');
    const stale = await kubectl.attempt('replace -f -', { input: old });
    expect(stale.code).toBe(1);
    expect(stale.stderr).toContain(
      'Error from server (Conflict): error when replacing "STDIN": ' +
        'Operation cannot be fulfilled on configmaps "replaced": the object has been modified; ' +
        'please apply your changes to the latest version and try again',
    );
    const absent = await kubectl.attempt('replace -f -', { input: configMap('absent', {}) });
    expect(absent.stderr).toContain('configmaps "absent" not found');
  });

  it('replace --force: deletes and makes anew', async () => {
    const uid = "get configmap replaced -o 'jsonpath={.metadata.uid}'";
    const before = await kubectl(uid);
    await kubectl('replace --force -f -', { input: configMap('replaced', { a: '3' }) });
    expect(await kubectl(uid)).not.toBe(before);
  });

  it('describe: a ConfigMap to the letter', async () => {
    const input = configMap('told', { motto: 'first line\nsecond line' }, { tier: 'one' });
    await kubectl('create -f -', { input });
    expect(await kubectl('describe configmap told')).toBe(
      'Name:         told\nNamespace:    default\nLabels:       tier=one\nAnnotations:  <none>\n\n' +
        'Data\n====\nmotto:\n----\nfirst line\nsecond line\n\n\nBinaryData\n====\n\n' +
        'Events:  <none>\n',
    );
  });

  it('describe: a Deployment, a Pod and a Namespace', async () => {
    const described = await kubectl('describe deployment web -n made');
    expect(described).toMatch(/^Replicas: +1 desired \| 0 updated \| 0 total \| 0 available/m);
    expect(described).toMatch(/^StrategyType: +RollingUpdate$/m);
    expect(described).toMatch(/^RollingUpdateStrategy: +25% max unavailable, 25% max surge$/m);
    await kubectl('create -f -', { input: pod('single') });
    const single = await kubectl('describe pod single');
    expect(single).toMatch(/^Status: +Pending$/m);
    expect(single).toMatch(/^QoS Class: +BestEffort$/m);
    expect(single).toMatch(/^ {4}Image: +example\/main:1$/m);
    const namespace = await kubectl('describe namespace made');
    expect(namespace).toMatch(/^Status: +Active$/m);
    expect(namespace).toMatch(/^ {2}Name: +few$/m);
    expect(namespace).toContain('No LimitRange resource.');
  });

  it('describe: with the events of an object', async () => {
    const uid = await kubectl("get configmap told -o 'jsonpath={.metadata.uid}'");
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'told.1', namespace: 'default' },
      involvedObject: {
        kind: 'ConfigMap',
        namespace: 'default',
        name: 'told',
        uid,
        apiVersion: 'v1',
      },
      reason: 'Told',
      message: 'A tale was told.',
      type: 'Normal',
      source: { component: 'teller' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    };
    await kubectl('create -f -', { input: JSON.stringify(event) });
    expect(await kubectl('describe configmap told')).toMatch(
      /Normal +Told +\S+ +teller +A tale was told\./,
    );
    expect(await kubectl('events --for configmap/told')).toContain('A tale was told.');
    const byBothGroups = await kubectl('get events.v1.events.k8s.io told.1 -o json');
    expect(at(parseJson(byBothGroups), 'note')).toBe('A tale was told.');
  });
});

await describeWith('kubectl', 'kubectl delete', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);

  beforeAll(async () => {
    await kubectl('create namespace gone');
  });

  it('one, several by selector, all', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await kubectl(`create configmap ${name} -n gone`);
    await kubectl('label configmap b c sort=old -n gone');
    expect(await kubectl('delete configmap a -n gone')).toBe(
      'configmap "a" deleted from gone namespace\n',
    );
    const selected = await kubectl('delete configmap -l sort=old -n gone');
    expect(selected.trim().split('\n').sort()).toEqual([
      'configmap "b" deleted from gone namespace',
      'configmap "c" deleted from gone namespace',
    ]);
    expect(await kubectl('get configmap -n gone -o name')).toBe('configmap/d\n');
    await kubectl('delete configmap --all -n gone');
    const empty = await kubectl.attempt('get configmap -n gone');
    expect(empty).toMatchObject({ code: 0, stderr: 'No resources found in gone namespace.\n' });
  });

  it('what is not there, with and without --ignore-not-found', async () => {
    const { code, stderr } = await kubectl.attempt('delete configmap absent');
    expect(code).toBe(1);
    expect(stderr).toBe('Error from server (NotFound): configmaps "absent" not found\n');
    expect(await kubectl('delete configmap absent --ignore-not-found')).toBe('');
  });

  it('--dry-run=server deletes nothing', async () => {
    await kubectl('create configmap spared');
    expect(await kubectl('delete configmap spared --dry-run=server')).toBe(
      'configmap "spared" deleted from default namespace (server dry run)\n',
    );
    expect(await kubectl('get configmap spared -o name')).toBe('configmap/spared\n');
  });

  it('waits for finalizers, which others remove', async () => {
    await kubectl('create configmap held');
    const hold = '{"metadata":{"finalizers":["example.com/hold"]}}';
    await kubectl(`patch configmap held --type=merge -p '${hold}'`);
    const deleting = kubectl.start('delete configmap held');
    await kubectl("wait configmap/held --for='jsonpath={.metadata.deletionTimestamp}'");
    const release = '[{"op":"remove","path":"/metadata/finalizers"}]';
    await kubectl(`patch configmap held --type=json -p '${release}'`);
    const { code, stdout } = await deleting.ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'configmap "held" deleted from default namespace\n',
    });
    expect((await kubectl.attempt('get configmap held')).stderr).toContain('not found');
  });

  it('--cascade=orphan and foreground leave their finalizers to a garbage collector', async () => {
    for (const [cascade, finalizer] of [
      ['orphan', 'orphan'],
      ['foreground', 'foregroundDeletion'],
    ]) {
      await kubectl('create -f -', { input: deployment('owner') });
      await kubectl(`delete deployment owner --cascade=${String(cascade)} --wait=false`);
      const left = "get deployment owner -o 'jsonpath={.metadata.finalizers[*]}'";
      expect(await kubectl(left)).toBe(finalizer);
      const release = '[{"op":"remove","path":"/metadata/finalizers"}]';
      await kubectl(`patch deployment owner --type=json -p '${release}'`);
      expect((await kubectl.attempt('get deployment owner')).code).toBe(1);
    }
  });

  it('a Pod on a node gets its grace period; --force ends it at once', async () => {
    await kubectl('create -f -', { input: pod('bound', { nodeName: 'some-node' }) });
    await kubectl('delete pod bound --wait=false --grace-period=45');
    const seconds = "get pod bound -o 'jsonpath={.metadata.deletionGracePeriodSeconds}'";
    expect(await kubectl(seconds)).toBe('45');
    expect(await kubectl('get pod bound --no-headers')).toMatch(/^bound +0\/1 +Terminating +0 +/);
    const forced = await kubectl('delete pod bound --force --grace-period=0');
    expect(forced).toContain('pod "bound" force deleted from default namespace');
    expect((await kubectl.attempt('get pod bound')).code).toBe(1);
  });

  it('a Namespace stays Terminating until a controller finalizes it', async () => {
    expect(await kubectl('delete namespace gone --wait=false')).toBe('namespace "gone" deleted\n');
    expect(await kubectl('get namespace gone --no-headers')).toMatch(/^gone +Terminating +/);
    const namespace = await kubectl('get --raw /api/v1/namespaces/gone');
    const finalized = namespace.replace('"finalizers":["kubernetes"]', '"finalizers":[]');
    expect(finalized).not.toBe(namespace);
    await kubectl('replace --raw /api/v1/namespaces/gone/finalize -f -', { input: finalized });
    expect((await kubectl.attempt('get namespace gone')).stderr).toContain('"gone" not found');
  });
});

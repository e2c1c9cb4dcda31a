/**
 * The chart: helm finds nothing wrong with it, a server takes what it renders, and helm itself, a
 * client of the API like any other, can install, upgrade, roll back and uninstall it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  CHART,
  containerOf,
  documentsOf,
  helmFor,
  knownFlags,
  ofKind,
  outputOf,
  rendered,
  unknownAmong,
  VALUES,
  wordsAt,
} from './chart.ts';

const kubectlProgram = await needs('kubectl');
const sets = Object.entries(VALUES);

await describeWith('helm', 'the chart', (program) => {
  const server = serverForThisFile();
  const helm = helmFor(program, () => ({ KUBECONFIG: server().kubeconfig }));
  const kubectl = kubectlFor(kubectlProgram ?? '', server);

  beforeAll(async () => {
    await kubectl('create namespace there');
  });

  describe.each(sets)('with the values: %s', (_name, values) => {
    it('has nothing that helm finds wrong', async () => {
      const said = outputOf(await helm(['lint', '--strict', CHART, '-f', '-'], values));
      expect(said).toContain('0 chart(s) failed');
    });

    it('is taken by a server, whole, as a trial and in truth', async () => {
      const manifests = await rendered(helm, values);
      const count = documentsOf(manifests).length;
      const apply = (...flags: string[]) =>
        kubectl.words(['apply', '-n', 'there', ...flags, '-f', '-'], { input: manifests });
      const trial = (await apply('--dry-run=server')).trim().split('\n');
      expect(trial).toHaveLength(count);
      expect(trial.filter((line) => !line.endsWith('created (server dry run)'))).toEqual([]);
      await apply();
      const versions = () => {
        const output = 'jsonpath={.items[*].metadata.resourceVersion}';
        return kubectl.words(['get', '-n', 'there', '-f', '-', '-o', output], { input: manifests });
      };
      const before = await versions();
      expect(before.split(' ')).toHaveLength(count);
      await apply();
      expect(await versions(), 'the same again changes nothing').toBe(before);
      await kubectl.words(['delete', '-n', 'there', '-f', '-'], { input: manifests });
    });

    it('starts the server with flags that there are, and files that are mounted', async () => {
      const statefulSet = ofKind(documentsOf(await rendered(helm, values)), 'StatefulSet');
      const container = containerOf(statefulSet);
      expect(unknownAmong(wordsAt(container, 'args'), await knownFlags())).toEqual([]);

      const mounts = listAt(container, 'volumeMounts').map((mount) => textAt(mount, 'mountPath'));
      const files = wordsAt(container, 'args').flatMap((arg) => /=(\/.*)$/.exec(arg)?.[1] ?? []);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        expect(
          mounts.some((mount) => file === mount || file.startsWith(`${mount}/`)),
          file,
        ).toBe(true);
      }
      const pod = at(statefulSet, 'spec', 'template', 'spec');
      const volumes = listAt(pod, 'volumes').map((volume) => textAt(volume, 'name'));
      const mounted = listAt(container, 'volumeMounts').map((mount) => textAt(mount, 'name'));
      expect(mounted.sort()).toEqual(['data', ...volumes].sort());
    });
  });

  it.each([
    ['no brokers', '{}', /brokers/],
    ['a broker without a port', 'kafka: { brokers: [a] }', /does not match pattern/],
    ['SASL without a user', 'kafka: { brokers: ["a:1"], sasl: { mechanism: plain } }', /username/],
    [
      'SASL without a password',
      'kafka: { brokers: ["a:1"], sasl: { mechanism: plain, username: a } }',
      /a secret or a password/,
    ],
    ['a setting that is misspelt', 'kafka: { brokers: ["a:1"], topics: a }', /topics/],
    [
      'a mode that there is not',
      'kafka: { brokers: ["a:1"] }\nauth: { authorizationMode: [Magic] }',
      /authorizationMode/,
    ],
    ['a flag with dashes', 'kafka: { brokers: ["a:1"] }\nflags: { --v: 1 }', /--v/],
  ])('is refused with %s', async (_name, values, why) => {
    const { code, stderr } = await helm(['template', 'ew', CHART, '-f', '-'], values);
    expect(stderr).toMatch(why);
    expect(code).not.toBe(0);
  });

  it('runs as an unprivileged user, changes nothing but its data, and holds no token of the cluster', async () => {
    const statefulSet = ofKind(documentsOf(await rendered(helm, VALUES.least)), 'StatefulSet');
    expect(at(statefulSet, 'spec', 'template', 'spec')).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(containerOf(statefulSet)).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      livenessProbe: { exec: { command: ['node', '/opt/everwatch/probe.mjs', '/livez'] } },
      readinessProbe: { exec: { command: ['node', '/opt/everwatch/probe.mjs', '/readyz'] } },
    });
  });

  describe('as a release that helm keeps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-values-'));
    const file = join(folder, 'values.yaml');
    writeFileSync(file, 'kafka: { brokers: ["a:9092"] }\n');
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    const own = ['--namespace', 'releases'];
    const install = [CHART, '-f', file];
    const words = async (...args: string[]) => outputOf(await helm([...args, ...own]));
    const secretsOf = async () => {
      const client = adminClient(server());
      const { body } = await client.get('/api/v1/namespaces/releases/secrets');
      client.close();
      return listAt(body, 'items');
    };
    const madeKey = async () => {
      const found = (await secretsOf()).find(
        (one) => textAt(one, 'metadata', 'name') === 'ew-everwatch-key',
      );
      return textAt(found, 'data', 'key');
    };
    const replicas = () =>
      kubectl("get statefulset ew-everwatch -n releases -o 'jsonpath={.spec.replicas}'");

    it('is installed, upgraded with the same key, rolled back and uninstalled', async () => {
      const said = await words('install', 'ew', ...install, '--create-namespace');
      expect(said).toContain('STATUS: deployed');
      expect(said).toContain('2 replicas of Everwatch on the topic everwatch.');
      expect(await replicas()).toBe('2');
      const key = await madeKey();
      expect(Buffer.from(key, 'base64')).toHaveLength(48);

      await words('upgrade', 'ew', CHART, '-f', file, '--set', 'replicas=3');
      expect(await replicas()).toBe('3');
      expect(await madeKey()).toBe(key);

      await words('rollback', 'ew', '1');
      expect(await replicas()).toBe('2');
      expect(await madeKey()).toBe(key);

      const history = parseJson(await words('history', 'ew', '-o', 'json'));
      const states = (Array.isArray(history) ? history : []).map((one) => textAt(one, 'status'));
      expect(states).toEqual(['superseded', 'superseded', 'deployed']);
      const kept = (await secretsOf()).filter((one) => at(one, 'type') === 'helm.sh/release.v1');
      expect(kept).toHaveLength(3);

      const manifest = await words('get', 'manifest', 'ew');
      expect(
        documentsOf(manifest)
          .map((one) => textAt(one, 'kind'))
          .sort(),
      ).toEqual([
        'PodDisruptionBudget',
        'Secret',
        'Service',
        'Service',
        'ServiceAccount',
        'StatefulSet',
      ]);

      expect(await words('uninstall', 'ew')).toContain('ew-everwatch-key');
      expect(await kubectl('get statefulsets,services,poddisruptionbudgets -n releases')).toBe('');
      expect(await madeKey()).toBe(key);
      expect(await secretsOf()).toHaveLength(1);
    });

    it('that comes again finds the key that the first one left', async () => {
      const key = await madeKey();
      await words('install', 'ew', ...install, '--take-ownership');
      expect(await madeKey()).toBe(key);
      await words('uninstall', 'ew');
    });
  });
});

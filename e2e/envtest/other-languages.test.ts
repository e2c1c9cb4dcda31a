/** Control planes for suites that are not written in Go: the module of the package, and the Python of docs/envtest.md. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { run, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { isClosed } from './started-planes.ts';

const folder = mkdtempSync(join(tmpdir(), 'ew-'));
const own = {
  XDG_CACHE_HOME: join(folder, 'cache'),
  XDG_RUNTIME_DIR: folder,
  EVERWATCH_ENVTEST_IDLE_SECONDS: '1',
};
const env = { ...process.env, ...own };
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const MAPS = '/api/v1/namespaces/default/configmaps';
const mapOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

it('start, reset and stop by everwatch/envtest', async () => {
  // As the package exports it, which the types of this repository cannot say before a build.
  const file = pathToFileURL(join(dirname(SERVER_PROGRAM), 'client', 'envtest.js')).href;
  const { startControlPlane } = (await import(
    file
  )) as typeof import('../../gateway/client/envtest.ts');
  const plane = await startControlPlane({
    shared: false,
    flags: ['--enable-admission-plugins=NamespaceAutoProvision'],
  });
  const client = adminClient({ kubeconfig: plane.kubeconfig });
  expect((await client.post(MAPS, mapOf('installed'))).status).toBe(201);
  const installed = await plane.version();
  expect((await client.post(MAPS, mapOf('of-a-test'))).status).toBe(201);
  await plane.reset(installed);
  expect((await client.get(`${MAPS}/of-a-test`)).status).toBe(404);
  expect((await client.get(`${MAPS}/installed`)).status).toBe(200);
  await plane.reset();
  expect((await client.get(`${MAPS}/installed`)).status).toBe(404);
  // The flag is that of its control plane.
  expect((await client.post('/api/v1/namespaces/new/configmaps', mapOf('one'))).status).toBe(201);
  const dataDir = dirname(plane.kubeconfig);
  client.close();
  await plane.stop();
  expect(existsSync(dataDir)).toBe(false);
  await expect(startControlPlane({ shared: false, flags: ['--no-such'] })).rejects.toThrow(
    '--no-such',
  );
});

it.each([true, false])('end with a suite that is killed (shared: %s)', async (shared) => {
  const file = pathToFileURL(join(dirname(SERVER_PROGRAM), 'client', 'envtest.js')).href;
  const suite = startCommand(
    process.execPath,
    [
      ...['--input-type=module', '-e'],
      `import { startControlPlane } from ${JSON.stringify(file)};
      console.log((await startControlPlane({ shared: ${String(shared)} })).url + ' ');`,
    ],
    { env: { ...env, TMPDIR: folder } },
  );
  const url = await eventually('the plane', () => /https:\S+(?= )/.exec(suite.stdout())?.[0]);
  const port = Number(new URL(url).port);
  expect(await isClosed(port)).toBeUndefined();
  suite.kill('SIGKILL');
  await suite.ended;
  await eventually('the end of the plane', () => isClosed(port));
});

await describeWith('python', 'the Python of docs/envtest.md', (python) => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/envtest.md'), 'utf8');
  const codes = [...text.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);

  it.each([
    [
      'takes one',
      `
plane = Plane("--enable-admission-plugins=NamespaceAutoProvision")
core, reset = client.CoreV1Api(plane.client), plane.reset
`,
      `
plane.stop()
`,
    ],
    [
      'starts one',
      `
core = client.CoreV1Api()
`,
      `
server.terminate()
print(server.wait())
`,
    ],
  ])('%s, and resets and stops it', async (_, begin, end) => {
    const made = await run(process.execPath, [SERVER_PROGRAM, 'envtest'], { env });
    const isTaken = begin.includes('Plane(');
    const used = `${begin}
core.create_namespaced_config_map("${isTaken ? 'new' : 'default'}", client.V1ConfigMap(metadata={"name": "of-a-test"}))
reset()
print(len(core.list_config_map_for_all_namespaces(field_selector="metadata.name=of-a-test").items))
${end}`;
    const all = { ...python, ...own, KUBEBUILDER_ASSETS: made.stdout.trimEnd() };
    const code = codes[isTaken ? 0 : 1] ?? '';
    const played = await run('python3', ['-c', code + used], { env: all });
    expect(played.stdout, played.stderr).toBe(isTaken ? '0\n' : '0\n0\n');
  });
});

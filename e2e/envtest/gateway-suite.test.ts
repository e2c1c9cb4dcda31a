/**
 * The tests of the rules in gateway-api's definitions, as they are, on a control plane of `everwatch envtest`: each sends
 * objects, and compares what is said of them with the words of kube-apiserver.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { goModule } from '../support/go-module.ts';
import { at, textAt, type JsonObject } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { startEtcd, startPlane } from './started-planes.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const folder = mkdtempSync(join(tmpdir(), 'everwatch-gateway-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves when all of them are served. */
async function install(client: AdminClient, definitions: string): Promise<void> {
  for (const file of readdirSync(definitions).filter((name) => name.endsWith('.yaml'))) {
    const definition = parse(readFileSync(join(definitions, file), 'utf8')) as JsonObject;
    const made = await client.post(DEFINITIONS, definition);
    expect(made.status, file).toBe(201);
    const path = `${DEFINITIONS}/${textAt(made.body, 'metadata', 'name')}`;
    await eventually(`${file} is served`, async () => {
      const conditions = at((await client.get(path)).body, 'status', 'conditions');
      return JSON.stringify(conditions).includes('"Established"') || undefined;
    });
  }
}

await describeWith('gateway-suite', "gateway-api's own tests", (suite) => {
  it('pass', async () => {
    const module = await goModule('sigs.k8s.io/gateway-api@v1.4.1');
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
    const made = await run(process.execPath, [SERVER_PROGRAM, 'envtest'], { env });
    const parts = { directory: made.stdout.trimEnd(), folder, env };
    const etcd = await startEtcd(parts);
    const plane = await startPlane(parts, etcd);
    await install(plane.client, join(module, 'config/crd/standard'));
    const { code, stdout, stderr } = await run(suite, ['-test.v'], {
      cwd: join(module, 'pkg/test/cel'),
      env: { ...env, KUBECONFIG: etcd.kubeconfig },
    });
    await plane.stop();
    etcd.running.kill('SIGTERM');
    expect(stdout.match(/^ *--- FAIL: .*/gm) ?? [], stderr).toEqual([]);
    expect(stdout.match(/^ *--- PASS: /gm)?.length).toBe(131);
    expect(code).toBe(0);
  });
});

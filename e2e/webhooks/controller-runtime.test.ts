/**
 * Admission webhooks as operators write them: e2e/go/cmd/webhook-check serves two with
 * controller-runtime and writes what they see. The server reaches them through a proxy, as where
 * they live in a network that it is not in.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { faultsIn } from '../support/log-lines.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const REFUSED = 'admission webhook "validate.example.com" denied the request: ';

await describeWith('webhook-check', 'webhooks of controller-runtime', (program) => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-egress-'));
  const egress = join(directory, 'egress.yaml');
  const socket = join(directory, 'proxy.sock');
  const asked = new Set<string>();
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    asked.add(url);
    const { hostname, port } = new URL(`http://${url}`);
    const onward = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });

  beforeAll(async () => {
    writeFileSync(
      egress,
      `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: controlplane
  connection:
    proxyProtocol: HTTPConnect
    transport: {uds: {udsName: ${socket}}}
`,
    );
    await new Promise<void>((resolve) => proxy.listen(socket, resolve));
  });
  const server = serverForThisFile({ args: ['--egress-selector-config-file', egress] });
  afterAll(() => {
    proxy.close();
    rmSync(directory, { recursive: true });
  });

  it('change, refuse and warn of what is written', async () => {
    const env = { ...process.env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run(program, [], { env });
    const report = parseJson(stdout);

    expect(at(report, 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
    expect(at(report, 'messages')).toEqual([
      `${REFUSED}no bad keys`,
      `${REFUSED}no bad keys`,
      `${REFUSED}kubernetes-admin keeps good`,
    ]);
    expect(at(report, 'warnings')).toEqual(['an odd key']);
    expect(at(report, 'calls')).toEqual({
      'mutate CREATE': 3,
      'mutate DELETE': 1,
      'mutate UPDATE': 1,
      'validate CREATE': 3,
      'validate DELETE': 1,
      'validate UPDATE': 1,
    });
    expect([...asked]).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
    expect(faultsIn(server().logs())).toEqual([]);
  });
});

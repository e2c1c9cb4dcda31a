/** Certificates that are exchanged on disk are shown without a restart. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { startServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-certificates-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function shownBy(url: string, ca: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

it('shows a new certificate within seconds, and keeps the old one while it has no key', async () => {
  const authority = await testAuthority('authority');
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const first = await authority.issue('first', ['127.0.0.1']);
  const second = await authority.issue('second', ['127.0.0.1']);
  writeFileSync(certFile, `${first.certificate}\n${authority.certificate}`);
  writeFileSync(keyFile, first.key);
  const server = await startServer({
    args: ['--tls-cert-file', certFile, '--tls-private-key-file', keyFile],
  });
  const ca = authority.certificate;
  expect(await shownBy(server.url, ca)).toBe('first');

  writeFileSync(certFile, `${second.certificate}\n${authority.certificate}`);
  await eventually('the half is refused', () => {
    return server.logs().includes('certificates on disk cannot be used') || undefined;
  });
  expect(await shownBy(server.url, ca)).toBe('first');
  writeFileSync(keyFile, second.key);
  await eventually('the new one is shown', async () => {
    return (await shownBy(server.url, ca)) === 'second' || undefined;
  });
  const client = adminClient(server);
  const { body } = await client.get('/metrics');
  expect(body).toContain('everwatch_certificate_reloads_total{outcome="success"} 1\n');
  expect(body).toContain('everwatch_certificate_reloads_total{outcome="failure"} 1\n');
  client.close();
  expect(await server.stop()).toBe(0);
});

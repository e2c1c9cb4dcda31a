/** An audit policy that writes everything down, in a file. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function auditPolicy(): { readonly log: string; readonly flags: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-audit-'));
  const policy = join(folder, 'policy.json');
  const log = join(folder, 'audit.log');
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [{ level: 'Metadata' }],
    }),
  );
  return { log, flags: ['--audit-policy-file', policy, '--audit-log-path', log] };
}

/**
 * Writes down the roles and bindings that kube-apiserver gives every cluster, by asking its own code:
 * `npx tsx tools/generate/bootstrap-policy.fixture.ts --write`. A developer's command; it needs Go.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oracleBinary } from '../oracle-binary.fixture.ts';

const ORACLE = join(import.meta.dirname, '../../e2e/oracles/rbac');
const TARGET = join(import.meta.dirname, '../../api/generated/bootstrap-policy.json');

/** A list of JSON, one object a line, in the order in which they are made. @throws without Go. */
export async function generateBootstrapPolicy(): Promise<string> {
  const program = await oracleBinary(ORACLE, 'program');
  const answer = execFileSync(program, { input: '{"ask":"bootstrap"}', encoding: 'utf8' });
  const { roles } = JSON.parse(answer) as { readonly roles: readonly object[] };
  return `[\n${roles.map((role) => JSON.stringify(role)).join(',\n')}\n]\n`;
}

if (process.argv[2] === '--write') writeFileSync(TARGET, await generateBootstrapPolicy());

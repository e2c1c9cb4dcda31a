/**
 * Writes down the roles and bindings that kube-apiserver gives every cluster, and what it adds where a
 * feature gate is on, by asking its own code: `npx tsx tools/generate/bootstrap-policy.fixture.ts --write`.
 * A developer's command; it needs Go.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATES_OF_POLICY } from '../../actors/controllers/rbac/bootstrap-policy.ts';
import { oracleBinary } from '../oracle-binary.fixture.ts';

const ORACLE = join(import.meta.dirname, '../../e2e/oracles/rbac');
const GENERATED = join(import.meta.dirname, '../../api/generated');

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly object[];
}

/** Lists of JSON, one object a line, in the order in which they are made. @throws without Go. */
export async function generateBootstrapPolicy(): Promise<{
  readonly policy: string;
  readonly ofGates: string;
}> {
  const program = await oracleBinary(ORACLE, 'program');
  const asked = ['', ...GATES_OF_POLICY].map((gate) => withNeeded(gate));
  const questions = asked.map((gate) => JSON.stringify({ ask: 'bootstrap', gate }));
  const input = questions.join('\n');
  const options = { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const lines = execFileSync(program, options).trim().split('\n');
  const made = new Map(
    lines.map((line, at) => {
      const { roles } = JSON.parse(line) as { readonly roles: readonly Made[] };
      return [asked[at] ?? '', roles] as const;
    }),
  );
  const usual = made.get('') ?? [];
  const added = GATES_OF_POLICY.map((gate) => {
    const before = made.get(NEEDED.get(gate) ?? '') ?? usual;
    const objects = (made.get(withNeeded(gate)) ?? []).flatMap((one) => addition(before, one));
    return `${JSON.stringify(gate)}: ${listed(objects)}`;
  });
  return { policy: `${listed(usual)}\n`, ofGates: `{\n${added.join(',\n')}\n}\n` };
}

/** Gates that have an effect only where another one is on. */
const NEEDED: ReadonlyMap<string, string> = new Map([['WorkloadWithJob', 'GenericWorkload']]);

function withNeeded(gate: string): string {
  const needed = NEEDED.get(gate);
  return needed === undefined ? gate : `${needed},${gate}`;
}

function listed(objects: readonly object[]): string {
  return `[\n${objects.map((one) => JSON.stringify(one)).join(',\n')}\n]`;
}

/** An object that is new, or the rules that a role has more than usual. */
function addition(usual: readonly Made[], made: Made): readonly Made[] {
  const nameOf = ({ kind, metadata: { name, namespace = '' } }: Made): string =>
    `${kind} ${namespace}/${name}`;
  const before = usual.find((one) => nameOf(one) === nameOf(made));
  if (before === undefined) return [made];
  if (JSON.stringify(before) === JSON.stringify(made)) return [];
  const known = new Set((before.rules ?? []).map((rule) => JSON.stringify(rule)));
  return [
    { ...made, rules: (made.rules ?? []).filter((rule) => !known.has(JSON.stringify(rule))) },
  ];
}

if (process.argv[2] === '--write') {
  const { policy, ofGates } = await generateBootstrapPolicy();
  writeFileSync(join(GENERATED, 'bootstrap-policy.json'), policy);
  writeFileSync(join(GENERATED, 'bootstrap-policy-of-gates.json'), ofGates);
}

/**
 * Expressions of users, in schemas and in policies: none of them can take the processor for itself.
 * The bound is on processor time spent, not on time passed, and wide.
 */
import { expect, it } from 'vitest';

import { configMap, created, textOf } from '../api/objects.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { type Attacked, realAndBroken } from './real-and-broken.ts';

const CHECK = 'api/cel/schema/schema-rule-check.ts';
const EVALUATION = 'actors/admission/expressions/evaluation.ts';

const { onBoth } = realAndBroken([
  {
    file: 'api/meta/regular-expression.ts',
    text: 'const expression = RE2JS.compile(pattern);',
    instead: 'const expression = Object.assign(new RegExp(pattern), { programSize: () => 1 });',
  },
  { file: CHECK, text: 'if (cost > RULE_COST_MAX && ', instead: 'if (false && ' },
  { file: CHECK, text: 'if (this.#total <= TOTAL_COST_MAX)', instead: 'if (true)' },
  { file: EVALUATION, text: 'costMax: COST_PER_EXPRESSION_MAX,', instead: 'costMax: Infinity,' },
  { file: EVALUATION, text: 'if (whole > budget.remaining)', instead: 'if (false)' },
]);

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

function definition(plural: string, spec: JsonObject): JsonObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  const schema = { type: 'object', properties: { spec } };
  return resourceDefinition({ group: 'costs.example.com', plural, kind, schema });
}

/** Seconds of processor time that the server has spent since it was started. */
async function spent({ client }: Attacked): Promise<number> {
  const answer = await client.get('/metrics');
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(textOf(answer))?.[1]);
}

it('a pattern in a schema takes no time beyond the length of the text', async () => {
  const things = '/apis/costs.example.com/v1/namespaces/default/patterns';
  const outcomes = await onBoth(async (attacked) => {
    const { client } = attacked;
    await created(
      client,
      DEFINITIONS,
      definition('patterns', { type: 'string', pattern: '^(a+)+$' }),
    );
    const thing = (spec: string): JsonObject => {
      const head = { kind: 'Pattern', apiVersion: 'costs.example.com/v1' };
      return { ...head, metadata: { generateName: 'p-' }, spec };
    };
    await eventually('the resource', async () => {
      return (await client.post(things, thing('aaa'))).status === 201 || undefined;
    });
    const before = await spent(attacked);
    // Each further letter doubles what a reader that tries and goes back has to try.
    const { status } = await client.post(things, thing(`${'a'.repeat(26)}!`));
    return { status, seconds: (await spent(attacked)) - before };
  });
  expect([outcomes.real.status, outcomes.broken.status]).toEqual([422, 422]);
  expect(outcomes.broken.seconds).toBeGreaterThan(3 * outcomes.real.seconds);
});

it('a rule in a schema that may cost too much is no rule', async () => {
  const spec = {
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.exists(z, x + y == z)))' }],
  };
  const outcomes = await onBoth(async ({ client }) => {
    return (await client.post(DEFINITIONS, definition('rules', spec))).status;
  });
  expect(outcomes).toEqual({ real: 422, broken: 201 });
});

it('an expression of a policy ends when it has cost enough', async () => {
  const ten = '[1,2,3,4,5,6,7,8,9,0]';
  const expression = ['a', 'b', 'c', 'd', 'e', 'f'].reduceRight(
    (inner, name) => `${ten}.all(${name}, ${inner})`,
    'true',
  );
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['configmaps'],
  };
  const outcomes = await onBoth(async ({ client }) => {
    const head = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'dear' } };
    await created(client, `${POLICIES}/validatingadmissionpolicies`, {
      ...head,
      kind: 'ValidatingAdmissionPolicy',
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
    });
    await created(client, `${POLICIES}/validatingadmissionpolicybindings`, {
      ...head,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: 'dear', validationActions: ['Deny'] },
    });
    const { status, body } = await client.post(MAPS, configMap('judged'));
    return { status, told: /cost/.exec(JSON.stringify(body))?.[0] };
  });
  expect(outcomes).toEqual({ real: { status: 422, told: 'cost' }, broken: { status: 201 } });
});

/**
 * Conditions that say which questions a webhook is asked: expressions over the spec of the review.
 * One that says no settles it; one that fails counts only where none says no.
 *
 * In Kubernetes: CELMatcher, apiserver/pkg/authorization/cel.
 */
import { BOOL, isSameType, listOf, mapOf, STRING, structType } from '../../../api/cel/cel-type.ts';
import type { CelType } from '../../../api/cel/cel-type.ts';
import type { Program } from '../../../api/cel/environment.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from '../../../api/cel/kubernetes-environment.ts';
import { isError } from '../../../api/cel/value.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { dynamicValue } from '../../../api/cel/dynamic-value.ts';
import type { ReviewCondition } from './webhook-authorizer.ts';

const SPEC = structType('kubernetes.SubjectAccessReviewSpec');
const RESOURCE = structType('kubernetes.ResourceAttributes');
const PATH = structType('kubernetes.NonResourceAttributes');
const FIELDS = structType('kubernetes.FieldSelectorAttributes');
const LABELS = structType('kubernetes.LabelSelectorAttributes');
const REQUIREMENT = structType('kubernetes.SelectorRequirement');

type Fields = Readonly<Record<string, CelType>>;

const STRUCTS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  [
    SPEC.name,
    {
      resourceAttributes: RESOURCE,
      nonResourceAttributes: PATH,
      user: STRING,
      groups: listOf(STRING),
      extra: mapOf(STRING, listOf(STRING)),
      uid: STRING,
    },
  ],
  [
    RESOURCE.name,
    {
      namespace: STRING,
      verb: STRING,
      group: STRING,
      version: STRING,
      resource: STRING,
      subresource: STRING,
      name: STRING,
      fieldSelector: FIELDS,
      labelSelector: LABELS,
    },
  ],
  [PATH.name, { path: STRING, verb: STRING }],
  [FIELDS.name, { rawSelector: STRING, requirements: listOf(REQUIREMENT) }],
  [LABELS.name, { rawSelector: STRING, requirements: listOf(REQUIREMENT) }],
  [REQUIREMENT.name, { key: STRING, operator: STRING, values: listOf(STRING) }],
]);

const ENVIRONMENT = KUBERNETES.extend({
  variables: [{ name: 'request', type: SPEC }],
  structs: {
    has: (name) => STRUCTS.has(name),
    fieldType(name, field) {
      const fields = STRUCTS.get(name);
      return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
    },
  },
});

interface Condition {
  readonly text: string;
  readonly program: Program;
}

export type CompiledConditions =
  | { readonly ok: true; readonly condition: ReviewCondition | undefined }
  /** `index` of the expression that is wrong. */
  | { readonly ok: false; readonly index: number; readonly message: string };

export function compileReviewConditions(texts: readonly string[]): CompiledConditions {
  const conditions: Condition[] = [];
  for (const [index, text] of texts.entries()) {
    const compiled = ENVIRONMENT.compile(text);
    if (!compiled.ok) {
      const what = compiled.during === 'check' ? 'compilation' : 'program instantiation';
      return { ok: false, index, message: `${what} failed: ${compiled.message}` };
    }
    if (!isSameType(compiled.program.resultType, BOOL)) {
      return { ok: false, index, message: 'must evaluate to bool' };
    }
    conditions.push({ text, program: compiled.program });
  }
  if (conditions.length === 0) return { ok: true, condition: undefined };
  return { ok: true, condition: (spec) => meets(conditions, spec) };
}

function meets(conditions: readonly Condition[], spec: JsonObject): ReturnType<ReviewCondition> {
  const variables = new Map([['request', dynamicValue(whole(spec))]]);
  const problems: string[] = [];
  for (const { text, program } of conditions) {
    const { value } = program.evaluate(variables, { costMax: COST_PER_EXPRESSION_MAX });
    if (isError(value)) {
      problems.push(
        `cel evaluation error: expression '${text}' resulted in error: ${value.message}`,
      );
    } else if (value !== true) {
      return { ok: true, matches: false };
    }
  }
  if (problems.length === 0) return { ok: true, matches: true };
  const [only = ''] = problems;
  return { ok: false, error: new Error(problems.length === 1 ? only : `[${problems.join(', ')}]`) };
}

/** With every text there is, for expressions may ask for one that is empty. */
function whole(spec: JsonObject): JsonObject {
  const { resourceAttributes, nonResourceAttributes } = spec as Record<string, JsonObject>;
  return {
    user: '',
    uid: '',
    groups: [],
    extra: {},
    ...spec,
    ...(resourceAttributes && { resourceAttributes: { ...NO_RESOURCE, ...resourceAttributes } }),
    ...(nonResourceAttributes && {
      nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes },
    }),
  };
}

const NO_RESOURCE = {
  namespace: '',
  verb: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  name: '',
};

/**
 * What is wrong with the expressions of a policy, where the objects that it is about have schemas:
 * fields that there are not, values that cannot be compared. The policy holds nevertheless. Of the
 * kinds that its rules name up to ten are looked at, and none of a rule that says `*`.
 *
 * In Kubernetes: TypeChecker.Check and typesToCheck, apiserver/pkg/admission/plugin/policy/validating.
 */
import type { GroupVersionKind } from '../../../api/meta/object-meta.ts';
import type {
  NamedRuleWithOperations,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { compareGoStrings } from '../../../api/json/go-format.ts';
import type { KindSchemas, NamedResource } from '../../served-resources/kind-schemas.ts';
import type { CelType } from '../../../api/cel/cel-type.ts';
import type { Environment } from '../../../api/cel/environment.ts';
import { DeclaredStructs } from '../../../api/cel/schema/schema-declarations.ts';
import {
  typedEnvironmentOf,
  variableTypeOf,
} from '../../../api/kinds/admissionregistration/expression-environment.ts';

const KINDS_MAX = 10;

/** In the order of group, version and kind. */
function kindsOfPolicy(
  spec: ValidatingAdmissionPolicySpec,
  schemas: Pick<KindSchemas, 'kindsFor'>,
): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of items(spec.matchConstraints?.resourceRules)) {
    let count = 0;
    for (const kind of resourcesIn(rule).flatMap((one) => schemas.kindsFor(one))) {
      kinds.set(textOf(kind), kind);
      count += 1;
      // A rule that names so many is the last that is looked at.
      if (count === KINDS_MAX) return inOrder(kinds);
    }
  }
  return inOrder(kinds);
}

function resourcesIn(rule: NamedRuleWithOperations): NamedResource[] {
  const groups = inGoOrder(rule.apiGroups);
  const versions = inGoOrder(rule.apiVersions);
  if ([...groups, ...versions].some((name) => name.includes('*'))) return [];
  const resources = inGoOrder(rule.resources).filter((name) => !/[*/]/.test(name));
  return groups.flatMap((group) =>
    versions.flatMap((version) => resources.map((resource) => ({ group, version, resource }))),
  );
}

function inGoOrder(names: readonly string[] | undefined): string[] {
  return [...items(names)].sort(compareGoStrings);
}

function inOrder(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return [...kinds.values()].sort(
    (one, other) =>
      compareGoStrings(one.group, other.group) ||
      compareGoStrings(one.version, other.version) ||
      compareGoStrings(one.kind, other.kind),
  );
}

/** `apps/v1, Kind=Deployment`, as Go writes it. */
function textOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** The kinds that a policy can be about, and their types as CEL declares them. */
export type PolicySchemas = Pick<KindSchemas, 'kindsFor' | 'declarationOf'>;

export interface ExpressionWarning {
  /** `spec.validations[0].expression` */
  readonly fieldRef: string;
  readonly warning: string;
}

/** Expressions of a policy, in which objects of one kind are known. */
interface KindCheck {
  readonly kind: GroupVersionKind;
  readonly environment: Environment;
}

/** @param policy as it is stored. */
export function typeWarnings(
  { spec }: ValidatingAdmissionPolicy,
  schemas: PolicySchemas,
): ExpressionWarning[] {
  const checks = checksOf(spec, schemas);
  return items(spec.validations).flatMap((validation, index) =>
    (['expression', 'messageExpression'] as const).flatMap((key): ExpressionWarning[] => {
      const text = validation[key] ?? '';
      const warning = text === '' ? '' : warningOf(text, checks);
      const fieldRef = `spec.validations[${String(index)}].${key}`;
      return warning === '' ? [] : [{ fieldRef, warning }];
    }),
  );
}

function warningOf(text: string, checks: readonly KindCheck[]): string {
  const problems = checks.flatMap(({ kind, environment }) => {
    const checked = environment.check(text);
    return checked.ok ? [] : [`${textOf(kind)}: ${checked.message}\n`];
  });
  return problems.join('\n');
}

function checksOf(
  spec: ValidatingAdmissionPolicySpec,
  schemas: PolicySchemas,
): readonly KindCheck[] {
  const { paramKind } = spec;
  const params = paramKind && typesOf(kindIn(paramKind), schemas, PARAMS_SUFFIX);
  const hasParams = paramKind !== undefined;
  return kindsOfPolicy(spec, schemas).flatMap((kind) => {
    const object = typesOf(kind, schemas, OBJECT_SUFFIX);
    if (object === undefined) return [];
    const declared = { object: object.structs, params: params?.structs };
    const variables = new Map<string, CelType>();
    for (const variable of items(spec.variables)) {
      const checked = typedEnvironmentOf(declared, { hasParams, variables }).check(
        variable.expression,
      );
      const type = checked.ok ? checked.types.typeOf(checked.types.root) : undefined;
      variables.set(variable.name, variableTypeOf(type));
    }
    return [{ kind, environment: typedEnvironmentOf(declared, { hasParams, variables }) }];
  });
}

/** Types of objects are called after their kind, and unlike one another. */
const OBJECT_SUFFIX = '1';
const PARAMS_SUFFIX = '2';

/** @returns undefined: there is no such kind; without structs where expressions see nothing of it. */
function typesOf(
  kind: GroupVersionKind,
  schemas: PolicySchemas,
  suffix: string,
): { readonly structs: DeclaredStructs | undefined } | undefined {
  const found = schemas.declarationOf(kind);
  if (found?.declaration === undefined) return found && { structs: undefined };
  return { structs: new DeclaredStructs(found.declaration, `${kind.kind}${suffix}`) };
}

function kindIn({ apiVersion = '', kind = '' }: ParamKind): GroupVersionKind {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), kind };
}

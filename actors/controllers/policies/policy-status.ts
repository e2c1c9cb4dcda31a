/**
 * Writes into the status of every ValidatingAdmissionPolicy what is wrong with the types in its
 * expressions, once for each change of the policy. It is for people: nothing depends on it.
 *
 * In Kubernetes: kube-controller-manager's validatingadmissionpolicy-status-controller.
 */
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import { outcomeOf, urlOf, type Controller, type ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome } from '../work-queue.ts';
import { type PolicySchemas, typeWarnings } from './type-check.ts';

const NAME = 'validatingadmissionpolicy-status-controller';
const POLICIES = 'admissionregistration.k8s.io/validatingadmissionpolicies';

/** As upstream's is called, which applies it too: no other manager has these fields. */
const MANAGER = 'validatingadmissionpolicy-status';
const WIDTH = 5;
const readPolicy = storedKind('admissionregistration.k8s.io/v1/validatingadmissionpolicies');

export interface PolicyStatusParts extends ControllerParts {
  readonly schemas: PolicySchemas;
}

/** It listens from now on; `begin` looks at all policies that are there. */
export function startPolicyStatus(parts: PolicyStatusParts): Controller {
  const { objects, listen } = parts;
  const queue = startWorkQueue(
    { name: NAME, width: WIDTH, work: (path) => look(parts, path) },
    parts,
  );
  listen(({ resource, path, type }) => {
    if (resource === POLICIES && type !== 'deleted') queue.add(path);
  });
  return {
    begin() {
      for (const { path } of objects.of(POLICIES).inOrder('')) queue.add(path);
      return Promise.resolve();
    },
    stop: () => queue.stop(),
  };
}

async function look(
  { objects, served, loopback, isAside, schemas }: PolicyStatusParts,
  path: string,
): Promise<WorkOutcome> {
  const stored = objects.get(POLICIES, path);
  const policies = served.ofStorage(POLICIES);
  if (isAside() || stored === undefined || policies === undefined) return 'done';
  const policy = readPolicy(stored);
  const { name = '', generation = 0 } = policy.metadata;
  if (generation <= (policy.status.observedGeneration ?? 0)) return 'done';
  const warnings = typeWarnings(policy, schemas).map((one) => ({ ...one }));
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const body = {
    kind: policies.facts.kind,
    apiVersion: policies.apiVersion,
    metadata: { name },
    status: { observedGeneration: generation, typeChecking },
  };
  const url = `${urlOf(policies, path)}/status`;
  return outcomeOf(await loopback({ method: 'PATCH', path: url, body, appliedBy: MANAGER }));
}

/** Policies in the cluster, as kubectl meets them: refused, warned of, changed. */
import { expect, it } from 'vitest';

import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const API = 'admissionregistration.k8s.io/v1';

const constraints = (resources: readonly string[], apiGroups: readonly string[]): object => ({
  resourceRules: [{ apiGroups, apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources }],
});

function documents(...objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

function policyWith(kind: string, name: string, spec: object, binding: object): string {
  return documents(
    { apiVersion: API, kind, metadata: { name }, spec },
    {
      apiVersion: API,
      kind: `${kind}Binding`,
      metadata: { name: `${name}-binding` },
      spec: { policyName: name, ...binding },
    },
  );
}

const REPLICAS = policyWith(
  'ValidatingAdmissionPolicy',
  'replicas',
  {
    matchConstraints: constraints(['deployments'], ['apps']),
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [
      {
        expression: 'object.spec.replicas <= int(params.data.max)',
        messageExpression: '"at most " + params.data.max + " replicas"',
      },
    ],
  },
  {
    validationActions: ['Deny'],
    paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' },
  },
);

const LABELS = policyWith(
  'MutatingAdmissionPolicy',
  'labels',
  {
    matchConstraints: constraints(['configmaps'], ['']),
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            'Object{metadata: Object.metadata{labels: {"by": request.userInfo.username}}}',
        },
      },
    ],
  },
  {},
);

await describeWith('kubectl', 'policies', (program) => {
  const server = serverForThisFile({ controllers: 'validatingadmissionpolicy-status-controller' });
  const kubectl = kubectlFor(program, server);

  it('hold from the next request on, with their parameters as they are', async () => {
    await kubectl('create configmap limits --from-literal=max=2');
    await kubectl('create -f -', { input: REPLICAS });
    const refused = await kubectl.attempt('create deployment big --image=nginx --replicas=3');
    expect(refused.stderr).toContain(
      "ValidatingAdmissionPolicy 'replicas' with binding 'replicas-binding' denied request: at most 2 replicas",
    );
    await kubectl('create deployment small --image=nginx --replicas=2');
    await kubectl('patch configmap limits --type=merge -p {"data":{"max":"3"}}');
    await kubectl('create deployment big --image=nginx --replicas=3');
    await kubectl('delete validatingadmissionpolicybinding replicas-binding');
    await kubectl('create deployment huge --image=nginx --replicas=30');
  });

  it('are told what does not fit the objects that they are about', async () => {
    const spec = {
      matchConstraints: constraints(['deployments'], ['apps']),
      validations: [{ expression: 'object.spec.replica > 1' }],
    };
    const misspelt = policyWith('ValidatingAdmissionPolicy', 'misspelt', spec, {
      validationActions: ['Warn'],
    });
    await kubectl('create -f -', { input: misspelt });
    const warning = '{.status.typeChecking.expressionWarnings[0].warning}';
    await kubectl(`wait --for=jsonpath=${warning} validatingadmissionpolicy/misspelt`);
    const said = await kubectl(`get validatingadmissionpolicy misspelt -o jsonpath=${warning}`);
    expect(said).toContain(
      "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'",
    );
    await kubectl('delete validatingadmissionpolicy misspelt');
  });

  it('change what is written', async () => {
    await kubectl('create -f -', { input: LABELS });
    await kubectl('create configmap labelled');
    const by = await kubectl('get configmap labelled -o jsonpath={.metadata.labels.by}');
    expect(by).toBe('kubernetes-admin');
  });
});

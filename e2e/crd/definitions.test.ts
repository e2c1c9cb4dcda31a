/**
 * Custom resource definitions themselves, as kubectl sees them: what is said of bad ones, how they
 * come by their names, and how they go again with all that was made of them.
 */
import { expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

interface Definition {
  readonly group?: string;
  readonly names?: JsonObject;
  readonly schema?: JsonObject;
  readonly annotations?: JsonObject;
}

function definition(plural: string, kind: string, more: Definition = {}): string {
  const { group = 'example.com', names, schema = { type: 'object' }, annotations } = more;
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const kept = { ...open, ...schema };
  return JSON.stringify(
    resourceDefinition({ group, plural, kind, schema: kept, names, annotations }),
  );
}

await describeWith('kubectl', 'definitions', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const create = (input: string) => kubectl('create -f -', { input });
  const established = (name: string) =>
    kubectl(`wait --for=condition=Established crd/${name} --timeout=240s`);
  const conditionsOf = async (name: string) => {
    const status = at(parseJson(await kubectl(`get crd ${name} -o json`)), 'status');
    return listAt(status ?? {}, 'conditions').map((one) => [
      textAt(one, 'type'),
      textAt(one, 'status'),
      textAt(one, 'reason'),
    ]);
  };

  it('are told in upstream’s words what is wrong with them', async () => {
    const schema = {
      properties: {
        a: { type: 'array' },
        b: { type: 'string', uniqueItems: true },
        c: { type: 'integer', default: 'x' },
      },
    };
    const { stderr, code } = await kubectl.attempt('create -f -', {
      input: definition('wrongs', 'Wrong', { schema }),
    });
    expect(code).toBe(1);
    const path = 'spec.validation.openAPIV3Schema.properties';
    expect(stderr).toContain(`${path}[a].items: Required value: must be specified`);
    expect(stderr).toContain(
      `${path}[b].uniqueItems: Forbidden: uniqueItems cannot be set to true`,
    );
  });

  it('have rules whose types and costs are looked at', async () => {
    const rules = [{ rule: 'self.all(x, self.all(y, x == y))' }, { rule: 'self.size() == "1"' }];
    const list = { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': rules };
    const { stderr } = await kubectl.attempt('create -f -', {
      input: definition('costlies', 'Costly', { schema: { properties: { list } } }),
    });
    expect(stderr).toContain('estimated rule cost exceeds budget by factor of more than 100x');
    expect(stderr).toContain("found no matching overload for '_==_' applied to '(int, string)'");
  });

  it('of protected groups need an approval, and say that they have it', async () => {
    const group = 'things.k8s.io';
    const { stderr } = await kubectl.attempt('create -f -', {
      input: definition('parts', 'Part', { group }),
    });
    expect(stderr).toContain('protected groups must have approval annotation');
    const annotations = { 'api-approved.kubernetes.io': 'https://example.com/pull/1' };
    await create(definition('parts', 'Part', { group, annotations }));
    await established('parts.things.k8s.io');
    expect(await conditionsOf('parts.things.k8s.io')).toEqual([
      ['KubernetesAPIApprovalPolicyConformant', 'True', 'ApprovedAnnotation'],
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
  });

  it('wait for names that others have', async () => {
    await create(definition('firsts', 'First', { names: { shortNames: ['f'] } }));
    await established('firsts.example.com');
    await create(definition('seconds', 'Second', { names: { shortNames: ['f'] } }));
    await kubectl(
      'wait --for=condition=NamesAccepted=false crd/seconds.example.com --timeout=240s',
    );
    expect(await conditionsOf('seconds.example.com')).toEqual([
      ['NamesAccepted', 'False', 'ShortNamesConflict'],
      ['Established', 'False', 'NotAccepted'],
    ]);
    await kubectl('delete crd firsts.example.com --timeout=240s');
    await established('seconds.example.com');
  });

  it('stand among the group versions that are built in, which are registered and available', async () => {
    const listed = await kubectl('get apiservices --no-headers');
    const rows = listed
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 3));
    const versions = (await kubectl('api-versions')).trim().split('\n');
    for (const [name = '', service, available] of rows.filter(([name]) =>
      /k8s\.io$/.test(name ?? ''),
    )) {
      const dot = name.indexOf('.');
      expect(versions).toContain(`${name.slice(dot + 1)}/${name.slice(0, dot)}`);
      expect([service, available], name).toEqual(['Local', 'True']);
    }
    expect(rows.map(([name]) => name)).toEqual(
      expect.arrayContaining(['v1.', 'v1.apps', 'v2.autoscaling', 'v1.rbac.authorization.k8s.io']),
    );
  });

  it('register their group versions, as long as a definition serves them', async () => {
    await create(definition('solos', 'Solo', { group: 'solo.org' }));
    await eventually('there is an APIService', async () => {
      const { stdout } = await kubectl.attempt('get apiservice v1.solo.org -o name');
      return stdout.includes('v1.solo.org') ? true : undefined;
    });
    expect(await kubectl('get apiservice v1.solo.org --show-labels')).toContain(
      'kube-aggregator.kubernetes.io/automanaged=true',
    );
    await kubectl('delete crd solos.solo.org --timeout=240s');
    await kubectl('wait --for=delete apiservice/v1.solo.org --timeout=240s');
  });

  it('go when all that was made of them is gone, and come back without it', async () => {
    await create(definition('widgets', 'Widget'));
    await established('widgets.example.com');
    await kubectl('create namespace other');
    const widget = (name: string, namespace: string, finalizers: string[] = []) =>
      create(
        JSON.stringify({
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name, namespace, finalizers },
        }),
      );
    await widget('a', 'default');
    await widget('b', 'other');
    await widget('held', 'other', ['example.com/hold']);

    const deleting = kubectl('delete crd widgets.example.com --timeout=240s');
    await eventually('all but the one that is held have gone', async () => {
      const names = await kubectl('get widgets -A -o name');
      return names.trim() === 'widget.example.com/held' ? true : undefined;
    });
    expect((await conditionsOf('widgets.example.com')).at(-1)).toEqual([
      'Terminating',
      'True',
      'InstanceDeletionInProgress',
    ]);
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await kubectl.words(['patch', 'widget', 'held', '-n', 'other', '--type=merge', '-p', patch]);
    await deleting;

    await create(definition('widgets', 'Widget'));
    await established('widgets.example.com');
    expect(await kubectl('get widgets -A -o name')).toBe('');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../api/generated/kinds/apps-v1.ts';
import type { ModelTypes, ResourceTypes } from '../../api/generated/kinds/kinds.ts';
import type { Pod } from '../../api/generated/kinds/core-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { DECLARATIONS, kindDeclarations } from './kind-declarations.ts';

describe('the committed declarations of the kinds', () => {
  it('are what `npm run generate:kinds` makes of the committed facts', () => {
    const made = kindDeclarations();
    const stale = [...made].flatMap(([name, text]) => (committed(name) === text ? [] : [name]));
    expect({ stale, names: readdirSync(DECLARATIONS).sort() }).toEqual({
      stale: [],
      names: [...made.keys()].sort(),
    });
  });

  it('refuse a field that is misspelt, and a null that is not looked at', () => {
    const read = (pod: Pod): unknown => [
      pod.spec.nodeName,
      // @ts-expect-error the list of containers is null where a client has sent none
      pod.spec.containers[0]?.image,
      // @ts-expect-error the field is called containers
      pod.spec.container,
      // @ts-expect-error the field is called hostNetwork
      pod.spec.hostNetworks,
    ];
    const write = (deployment: Deployment): void => {
      // @ts-expect-error the field is called replicas
      deployment.spec.replica = 1;
    };
    expect([read, write].map((one) => one.length)).toEqual([1, 1]);
  });

  it('can be read as JSON, and be found by resource and by model name', () => {
    const pod: ResourceTypes['v1/pods'] = {
      metadata: {},
      spec: { containers: null },
      status: {},
    } satisfies ModelTypes['io.k8s.api.core.v1.Pod'];
    const json: JsonObject = pod;
    expect(json['spec']).toEqual({ containers: null });
  });
});

function committed(name: string): string | undefined {
  const place = new URL(name, DECLARATIONS);
  return readdirSync(DECLARATIONS).includes(name) ? readFileSync(place, 'utf8') : undefined;
}

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import type { Service } from '../../../generated/kinds/core-v1.ts';
import { carryOverAllocations, pairClusterIps, pairNewClusterIps } from './allocations.ts';
import { services } from './definition.ts';
import { ownSpec } from './service-spec.ts';

function service(spec: JsonObject): KubeObject {
  return { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' }, spec };
}

function updated(old: JsonObject, spec: JsonObject): JsonObject {
  const object = service(spec);
  const [written, before] = [object, service(old)] as unknown as [Service, Service]; // They are.
  ownSpec(written);
  carryOverAllocations(written, before);
  pairClusterIps(written, before);
  services.strategy.prepareForUpdate(object, service(old));
  return object['spec'] as JsonObject;
}

const ip = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] };
const nodePort = { type: 'NodePort', ...ip };

describe('an update of a service that was handed something out', () => {
  it('keeps the addresses that it does not mention', () => {
    expect(updated({ type: 'ClusterIP', ...ip }, { type: 'ClusterIP' })).toMatchObject(ip);
  });

  it('pairs the addresses when a client knows only the first field', () => {
    const changed = { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] };
    expect(updated({ type: 'ClusterIP', ...ip }, changed)).toMatchObject({
      clusterIP: '10.0.0.2',
      clusterIPs: ['10.0.0.2'],
    });
  });

  it('keeps node ports by the names of the ports', () => {
    const old = { ...nodePort, ports: [{ name: 'a', port: 1, nodePort: 30001 }] };
    const spec = {
      ...nodePort,
      ports: [
        { name: 'b', port: 2 },
        { name: 'a', port: 1 },
      ],
    };
    expect(updated(old, spec)['ports']).toEqual([
      { name: 'b', port: 2 },
      { name: 'a', port: 1, nodePort: 30001 },
    ]);
  });

  it('does not keep a node port that another port takes', () => {
    const old = { ...nodePort, ports: [{ name: 'a', port: 1, nodePort: 30001 }] };
    const ports = [
      { name: 'b', port: 2, nodePort: 30001 },
      { name: 'a', port: 1 },
    ];
    expect(updated(old, { ...nodePort, ports })['ports']).toEqual(ports);
  });

  it('keeps the port of the health check', () => {
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const old = { ...local, healthCheckNodePort: 30002 };
    expect(updated(old, { ...local })).toMatchObject({ healthCheckNodePort: 30002 });
  });

  it('leaves the old object alone, though it shares its ports', () => {
    const ports = [{ name: 'a', port: 1, nodePort: 30001 }];
    const old = service({ ...nodePort, ports });
    const object = service({ ...ip, type: 'ClusterIP', ports });
    services.strategy.prepareForUpdate(object, old);
    expect(object['spec']).toMatchObject({ ports: [{ name: 'a', port: 1 }] });
    expect(ports).toEqual([{ name: 'a', port: 1, nodePort: 30001 }]);
  });
});

describe('a new service', () => {
  it('that has one address has the list of it', () => {
    const object = service({ clusterIP: 'None' });
    pairNewClusterIps(object as unknown as Service);
    expect(object['spec']).toEqual({ clusterIP: 'None', clusterIPs: ['None'] });
  });
});

/** Services of a control plane, and what they hold of its addresses and ports. */
import type { JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane } from '../given-registry.fixture.ts';

export const URL = '/api/v1/namespaces/default/services';
export const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';
/** Flags of a cluster of two families. */
export const DUAL = ['--service-cluster-ip-range=10.0.0.0/24,fd00::/112'];

/** One port, and the rest by default. */
export function service(name: string, spec: JsonObject = {}): JsonObject {
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  };
}

/** A cluster without services. */
export async function givenServices(flags: readonly string[] = []) {
  const plane = await givenControlPlane({ flags });
  const make = async (name: string, spec: JsonObject = {}) => plane.post(URL, service(name, spec));
  const specOf = async (name: string) =>
    (await plane.get(`${URL}/${name}`)).object['spec'] as JsonObject;
  const addresses = async () => (await plane.get(ADDRESSES)).names;
  const ports = () =>
    [...plane.objects.of('everwatch/nodeports').inOrder('')].map(({ path }) => path.slice(1));
  return { ...plane, make, specOf, addresses, ports };
}

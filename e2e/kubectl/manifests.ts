/**
 * Manifests for `kubectl -f -`, as JSON, which kubectl reads as well as YAML.
 */
import type { JsonObject } from '../support/json.ts';

export function configMap(name: string, data: JsonObject, labels?: JsonObject): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    data,
  });
}

export function pod(name: string, spec: JsonObject = {}): string {
  const containers = [{ name: 'main', image: 'example/main:1' }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers, ...spec },
  });
}

export interface DeploymentWishes {
  readonly replicas?: number;
  readonly image?: string;
  readonly env?: JsonObject[];
}

export function deployment(name: string, wishes: DeploymentWishes = {}): string {
  const labels = { app: name };
  const container: JsonObject = { name: 'main', image: wishes.image ?? 'example/main:1' };
  container['ports'] = [{ containerPort: 8080 }];
  if (wishes.env !== undefined) container['env'] = wishes.env;
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: wishes.replicas ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  });
}

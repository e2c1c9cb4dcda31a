/**
 * Defaults of a CustomResourceDefinition: the names that can be told from its kind, no conversion,
 * and the first version that is marked for storage as the one that has been stored.
 *
 * In Kubernetes: SetDefaults_CustomResourceDefinition, apiextensions-apiserver.
 */
import { isJsonObject, type JsonObject, listAt, objectAt, stringAt } from '../../../json/json.ts';
import { isEmpty, setIfAbsent, setIfZero, structAt, withObject } from '../../default-field.ts';

export function setCustomResourceDefinitionDefaults(definition: JsonObject): void {
  const spec = structAt(definition, 'spec');
  const names = structAt(spec, 'names');
  const kind = stringAt(names, 'kind');
  if (kind !== '') {
    setIfZero(names, 'singular', kind.toLowerCase());
    setIfZero(names, 'listKind', `${kind}List`);
  }
  setIfAbsent(spec, 'conversion', { strategy: 'None' });
  setWebhookPort(spec);

  const status = structAt(definition, 'status');
  const stored = listAt(spec, 'versions').find(
    (version) => isJsonObject(version) && version['storage'] === true,
  );
  if (isEmpty(status['storedVersions']) && isJsonObject(stored)) {
    status['storedVersions'] = [stringAt(stored, 'name')];
  }
}

function setWebhookPort(spec: JsonObject): void {
  const client = objectAt(objectAt(objectAt(spec, 'conversion'), 'webhook'), 'clientConfig') ?? {};
  withObject(client, 'service', (service) => {
    setIfAbsent(service, 'port', 443);
  });
}

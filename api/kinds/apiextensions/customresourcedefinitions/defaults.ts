/**
 * Defaults of a CustomResourceDefinition: the names that can be told from its kind, no conversion,
 * and the first version that is marked for storage as the one that has been stored.
 *
 * In Kubernetes: SetDefaults_CustomResourceDefinition, apiextensions-apiserver.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { isJsonObject } from '../../../json/json.ts';
import { isEmpty, setIfAbsent, withObject } from '../../default-field.ts';

export function setCustomResourceDefinitionDefaults(definition: CustomResourceDefinition): void {
  const spec = definition.spec;
  const names = spec.names;
  const kind = names.kind;
  if (kind !== '') {
    names.singular ||= kind.toLowerCase();
    names.listKind ||= `${kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  setWebhookPort(spec);

  const status = definition.status;
  const stored = items(spec.versions).find((version) => isJsonObject(version) && version.storage);
  if (isEmpty(status.storedVersions) && isJsonObject(stored)) {
    status.storedVersions = [stored.name];
  }
}

function setWebhookPort(spec: CustomResourceDefinitionSpec): void {
  const client = spec.conversion?.webhook?.clientConfig ?? {};
  withObject(client, 'service', (service) => {
    setIfAbsent(service, 'port', 443);
  });
}

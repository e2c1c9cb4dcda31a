/** What a control plane serves: what is built in, and what its own definitions say. */
import { CompiledDefinitions } from '../../../api/kinds/custom/compiled-definitions.ts';
import { compileDefinition } from '../../../api/kinds/custom/compile-definition.ts';
import { CustomDefinitions } from '../../../actors/served-resources/custom-definitions.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { RuleMeters } from '../../../api/kinds/custom/version-schema.ts';
import type { Externals } from '../externals.ts';
import type { OpenViews } from './open-views.ts';

export interface CustomResourceParts {
  readonly externals: Externals;
  /** What rules of definitions cost; undefined: it is not counted. */
  readonly meters?: RuleMeters;
}

/** @param builtIn what is served whatever the definitions say. */
export function servedBy(
  { objects, resourceViews }: Pick<OpenViews, 'objects' | 'resourceViews'>,
  builtIn: ServedResources,
  { externals, meters }: CustomResourceParts,
): ServedResources {
  const { clock, random } = externals;
  const converter = { webhooks: externals.webhooks(objects), random, meters };
  const compiled = new CompiledDefinitions({
    clock,
    compile: (definition) => compileDefinition(definition, converter),
  });
  return builtIn.with(
    new CustomDefinitions({
      objects,
      pastOf: (resource) => resourceViews.of(resource),
      compiled,
      reserved: builtIn.storages(),
    }),
  );
}

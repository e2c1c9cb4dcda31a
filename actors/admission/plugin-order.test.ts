import { expect, it } from 'vitest';
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES } from './plugin-names.ts';
import { BUILT_PLUGIN_NAMES } from './plugin-order.ts';

it('asks the plug-ins in the order that Kubernetes has', () => {
  expect(BUILT_PLUGIN_NAMES).toEqual(
    PLUGIN_NAMES.filter((name) => BUILT_PLUGIN_NAMES.includes(name)),
  );
  expect(PLUGIN_NAMES).toHaveLength(41);
  expect(DEFAULT_PLUGIN_NAMES.size).toBe(27);
});

/** Puts the rooms of admission together: which plug-ins are asked, and what they were told. */
import { Admission } from '../../actors/admission/admission.ts';
import type { AdmissionWorld } from '../../actors/admission/admission-world.ts';
import { PluginConfigurationError } from '../../actors/admission/plugin-configuration.ts';
import { DEFAULT_PLUGIN_NAMES } from '../../actors/admission/plugin-names.ts';
import { pluginsOf, type PluginSelection } from '../../actors/admission/plugin-order.ts';
import { rbacEscalation } from '../../actors/authorization/rbac-escalation.ts';
import type { AdmissionSettings } from './admission-settings.ts';
import { StartupError } from './startup-error.ts';

/** @throws StartupError where a plug-in cannot work with its configuration. */
export function admissionOf(settings: AdmissionSettings, world: AdmissionWorld): Admission {
  try {
    // Who may give which rights is no plug-in that could be left out, and is judged last.
    return new Admission([...pluginsOf(world, selectionOf(settings)), rbacEscalation(world)]);
  } catch (error) {
    if (!(error instanceof PluginConfigurationError)) throw error;
    throw new StartupError(error.message, { cause: error });
  }
}

/** In Kubernetes: enabledPluginNames, apiserver/pkg/server/options/admission.go. */
function selectionOf(settings: AdmissionSettings): PluginSelection {
  const enabled = new Set(settings.enableAdmissionPlugins);
  const disabled = new Set(settings.disableAdmissionPlugins);
  return {
    isOn: (name) => enabled.has(name) || (DEFAULT_PLUGIN_NAMES.has(name) && !disabled.has(name)),
    configurations: settings.admissionControlConfigFile ?? new Map(),
  };
}

/** Puts the rooms of admission together: which plug-ins are asked, and what they were told. */
import { Admission } from '../../actors/admission/admission.ts';
import type { AdmissionWorld } from '../../actors/admission/admission-world.ts';
import { PluginConfigurationError } from '../../actors/admission/plugin-configuration.ts';
import { DEFAULT_PLUGIN_NAMES } from '../../actors/admission/plugin-names.ts';
import { pluginsOf, type PluginSelection } from '../../actors/admission/plugin-order.ts';
import { imagePolicyIn } from '../../actors/admission/plugins/image-policy-configuration.ts';
import { rbacEscalation } from '../../actors/authorization/rbac-escalation.ts';
import type { ReviewClient } from '../../actors/webhook-review.ts';
import { reviewClient } from '../authorization/review-post.ts';
import type { AdmissionSettings } from './admission-settings.ts';
import type { EgressSettings } from './egress-settings.ts';
import { StartupError } from './startup-error.ts';
import { systemClock } from './system-clock.ts';
import { clusterAccess } from './tools/kubeconfig-access.ts';

const IMAGE_POLICY = 'ImagePolicyWebhook';

/** @throws StartupError where a plug-in cannot work with its configuration. */
export function admissionOf(settings: AdmissionSettings, world: AdmissionWorld): Admission {
  // Who may give which rights is no plug-in that could be left out, and is judged last.
  return readable(
    () =>
      new Admission(
        [...pluginsOf(world, selectionOf(settings)), rbacEscalation(world)],
        world.meters,
      ),
  );
}

function readable<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PluginConfigurationError)) throw error;
    throw new StartupError(error.message, { cause: error });
  }
}

/**
 * The way out to who judges images, where the plug-in is on that asks him.
 *
 * @throws StartupError where its configuration or its kubeconfig file is no good.
 */
export async function imageReviewsOf(
  settings: AdmissionSettings & EgressSettings,
): Promise<ReviewClient | undefined> {
  const { isOn, configurations } = selectionOf(settings);
  if (!isOn(IMAGE_POLICY)) return undefined;
  const { kubeConfigFile: file } = readable(() => imagePolicyIn(configurations.get(IMAGE_POLICY)));
  const to = await clusterAccess({ file, context: undefined }, {});
  const proxy = settings.egressSelectorConfigFile?.controlPlane;
  return reviewClient({ ...to, proxy }, systemClock);
}

/** In Kubernetes: enabledPluginNames, apiserver/pkg/server/options/admission.go. */
function selectionOf(settings: AdmissionSettings): PluginSelection {
  const only = new Set(settings.admissionControl);
  const enabled = new Set(settings.enableAdmissionPlugins);
  const disabled = new Set(settings.disableAdmissionPlugins);
  return {
    isOn: (name) =>
      only.size > 0
        ? only.has(name)
        : enabled.has(name) || (DEFAULT_PLUGIN_NAMES.has(name) && !disabled.has(name)),
    configurations: settings.admissionControlConfigFile ?? new Map(),
  };
}

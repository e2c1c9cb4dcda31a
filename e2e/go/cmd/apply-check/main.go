// Command apply-check applies through client-go's apply configurations, as controllers do, and
// prints one line of JSON with what it found.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applyautoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type report struct {
	// What the first applier manages, as client-go reads it out of managedFields.
	Extracted *applyappsv1.DeploymentApplyConfiguration `json:"extracted"`
	// The same after another one has taken the replicas by force.
	Left *applyappsv1.DeploymentApplyConfiguration `json:"left"`
	// What the applier of the status manages.
	Status        *applyappsv1.DeploymentApplyConfiguration `json:"status"`
	Conflict      string                                    `json:"conflict"`
	Causes        []string                                  `json:"causes"`
	Replicas      int32                                     `json:"replicas"`
	Scaled        int32                                     `json:"scaled"`
	Again         bool                                      `json:"again"`
	DynamicLabels any                                       `json:"dynamicLabels"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := check(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

func check(ctx context.Context) (report, error) {
	var found report
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return found, err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return found, err
	}
	deployments := clients.AppsV1().Deployments("default")
	apply := func(manager string, force bool, change func(*applyappsv1.DeploymentApplyConfiguration)) (*appsv1.Deployment, error) {
		wanted := deployment()
		change(wanted)
		return deployments.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	made, err := apply("first", false, func(*applyappsv1.DeploymentApplyConfiguration) {})
	if err != nil {
		return found, fmt.Errorf("the first apply: %w", err)
	}
	if found.Extracted, err = applyappsv1.ExtractDeployment(made, "first"); err != nil {
		return found, err
	}
	again, err := deployments.Apply(ctx, found.Extracted, metav1.ApplyOptions{FieldManager: "first"})
	if err != nil {
		return found, fmt.Errorf("what was extracted: %w", err)
	}
	found.Again = again.ResourceVersion == made.ResourceVersion
	if err := takeReplicas(apply, &found); err != nil {
		return found, err
	}
	status := applyappsv1.Deployment("applied", "default").
		WithStatus(applyappsv1.DeploymentStatus().WithReplicas(3))
	shown, err := deployments.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "controller"})
	if err != nil {
		return found, fmt.Errorf("the status: %w", err)
	}
	if found.Status, err = applyappsv1.ExtractDeploymentStatus(shown, "controller"); err != nil {
		return found, err
	}
	if found.Left, err = applyappsv1.ExtractDeployment(shown, "first"); err != nil {
		return found, err
	}
	scale := applyautoscalingv1.Scale().WithName("applied").
		WithSpec(applyautoscalingv1.ScaleSpec().WithReplicas(7))
	scaled, err := deployments.ApplyScale(ctx, "applied", scale, metav1.ApplyOptions{FieldManager: "scaler", Force: true})
	if err != nil {
		return found, fmt.Errorf("the scale: %w", err)
	}
	found.Scaled = scaled.Spec.Replicas
	labels, err := applyDynamic(ctx, dynamic.NewForConfigOrDie(config))
	found.DynamicLabels = labels
	return found, err
}

func takeReplicas(
	apply func(string, bool, func(*applyappsv1.DeploymentApplyConfiguration)) (*appsv1.Deployment, error),
	found *report,
) error {
	more := func(wanted *applyappsv1.DeploymentApplyConfiguration) { wanted.Spec.WithReplicas(5) }
	_, err := apply("second", false, more)
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict, but %v", err)
	}
	status, _ = err.(apierrors.APIStatus)
	found.Conflict = err.Error()
	for _, cause := range status.Status().Details.Causes {
		found.Causes = append(found.Causes, fmt.Sprintf("%s %s", cause.Type, cause.Field))
	}
	taken, err := apply("second", true, more)
	if err != nil {
		return fmt.Errorf("by force: %w", err)
	}
	found.Replicas = *taken.Spec.Replicas
	return nil
}

func applyDynamic(ctx context.Context, client *dynamic.DynamicClient) (any, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": "dynamic", "labels": map[string]any{"by": "dynamic"}},
	}}
	maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	applied, err := maps.Namespace("default").Apply(ctx, "dynamic", object, metav1.ApplyOptions{FieldManager: "dynamic"})
	if err != nil {
		return nil, fmt.Errorf("the dynamic client: %w", err)
	}
	return applied.GetLabels(), nil
}

func deployment() *applyappsv1.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	container := applycorev1.Container().WithName("main").WithImage("example/main:1").
		WithPorts(applycorev1.ContainerPort().WithContainerPort(8080))
	return applyappsv1.Deployment("applied", "default").WithSpec(
		applyappsv1.DeploymentSpec().
			WithReplicas(2).
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(container))))
}

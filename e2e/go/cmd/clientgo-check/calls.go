package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// typedCalls walks two kinds through every verb: a ConfigMap, and a Deployment for its subresources.
func typedCalls(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if err := configMapCalls(ctx, client, namespace); err != nil {
		return fmt.Errorf("configmaps: %w", err)
	}
	if err := deploymentCalls(ctx, client, namespace); err != nil {
		return fmt.Errorf("deployments: %w", err)
	}
	return nil
}

func configMapCalls(ctx context.Context, client kubernetes.Interface, namespace string) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	wanted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "typed", Labels: map[string]string{"check": "typed"}},
		Data:       map[string]string{"a": "1"},
		BinaryData: map[string][]byte{"b": {0, 255, 128}},
	}
	made, err := maps.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if made.UID == "" || made.ResourceVersion == "" || made.CreationTimestamp.IsZero() {
		return fmt.Errorf("create: server-set metadata is missing: %+v", made.ObjectMeta)
	}
	if string(made.BinaryData["b"]) != string(wanted.BinaryData["b"]) {
		return fmt.Errorf("create: binaryData came back as %v", made.BinaryData)
	}
	_, err = maps.Create(ctx, wanted, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("second create: want AlreadyExists, got %v", err)
	}
	if err := configMapUpdates(ctx, client, made); err != nil {
		return err
	}
	listed, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "check in (typed,other)"})
	if err != nil || len(listed.Items) != 1 || listed.Items[0].Data["a"] != "3" {
		return fmt.Errorf("list: %w, %+v", orUnexpected(err), listed)
	}
	err = maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "check=typed"})
	if err != nil {
		return fmt.Errorf("deletecollection: %w", err)
	}
	_, err = maps.Get(ctx, "typed", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("get after delete: want NotFound, got %v", err)
	}
	return nil
}

func configMapUpdates(ctx context.Context, client kubernetes.Interface, made *corev1.ConfigMap) error {
	maps := client.CoreV1().ConfigMaps(made.Namespace)
	newer := made.DeepCopy()
	newer.Data["a"] = "2"
	updated, err := maps.Update(ctx, newer, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if updated.ResourceVersion == made.ResourceVersion || updated.UID != made.UID {
		return fmt.Errorf("update: metadata came back as %+v", updated.ObjectMeta)
	}
	stale := made.DeepCopy()
	stale.Data["a"] = "lost"
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("update of an old version: want Conflict, got %v", err)
	}
	patch := []byte(`{"data":{"a":"3"}}`)
	patched, err := maps.Patch(ctx, made.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil || patched.Data["a"] != "3" {
		return fmt.Errorf("patch: %w", orUnexpected(err))
	}
	got, err := maps.Get(ctx, made.Name, metav1.GetOptions{})
	if err != nil || got.Data["a"] != "3" || got.ResourceVersion != patched.ResourceVersion {
		return fmt.Errorf("get: %w", orUnexpected(err))
	}
	return nil
}

func deploymentCalls(ctx context.Context, client kubernetes.Interface, namespace string) error {
	deployments := client.AppsV1().Deployments(namespace)
	made, err := deployments.Create(ctx, deploymentNamed("typed"), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if made.Generation != 1 || *made.Spec.Replicas != 1 || made.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return fmt.Errorf("create: generation or defaults are missing: %+v", made)
	}
	made.Status.ObservedGeneration, made.Status.Replicas = 1, 1
	observed, err := deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	if err != nil || observed.Status.Replicas != 1 || observed.Generation != 1 {
		return fmt.Errorf("update status: %w", orUnexpected(err))
	}
	scale, err := deployments.GetScale(ctx, "typed", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 1 || scale.Status.Replicas != 1 {
		return fmt.Errorf("get scale: %w", orUnexpected(err))
	}
	scale.Spec.Replicas = 5
	if _, err := deployments.UpdateScale(ctx, "typed", scale, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("update scale: %w", err)
	}
	scaled, err := deployments.Get(ctx, "typed", metav1.GetOptions{})
	if err != nil || *scaled.Spec.Replicas != 5 || scaled.Generation != 2 || scaled.Status.Replicas != 1 {
		return fmt.Errorf("get after scale: %w, %+v", orUnexpected(err), scaled)
	}
	wrong := types.UID("another-uid")
	err = deployments.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("delete of another uid: want Conflict, got %v", err)
	}
	return deployments.Delete(ctx, "typed", metav1.DeleteOptions{})
}

func deploymentNamed(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example/main:1"}}},
			},
		},
	}
}

var errUnexpected = errors.New("the answer is not what was written")

// orUnexpected is for checks that fail either by an error or by a wrong answer.
func orUnexpected(err error) error {
	if err == nil {
		return errUnexpected
	}
	return err
}

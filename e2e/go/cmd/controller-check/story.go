package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	objects = 20
	// quiet is how long nothing may be reconciled for the state to count as steady.
	quiet = 3 * time.Second
	// reconcilesMax is per object and chapter. A chapter needs two or three: the change, the
	// Deployment's event, the annotation's event; conflicts of a cache that is behind add some.
	reconcilesMax = 8
)

// story is what happens to the operator's objects, told past its cache.
type story struct {
	client     client.Client
	namespace  string
	reconciler *reconciler
	result     *report
}

func (s *story) tell(ctx context.Context) error {
	s.result.Objects = objects
	chapters := []struct {
		name   string
		happen func(context.Context) error
		follow func(map[string]appsv1.Deployment) error
	}{
		{"created", s.create, everyReplicas(1)},
		{"deployments deleted", s.deleteDeployments, everyReplicas(1)},
		{"owners changed", s.changeOwners, everyReplicas(3)},
		{"deployments changed by others", s.driftDeployments, everyReplicas(3)},
		{"owners deleted", s.deleteOwners, func(found map[string]appsv1.Deployment) error {
			if len(found) > 0 {
				return fmt.Errorf("%d deployments are left", len(found))
			}
			return nil
		}},
	}
	for _, chapter := range chapters {
		before := s.reconciler.started.Load()
		if err := chapter.happen(ctx); err != nil {
			return fmt.Errorf("%s: %w", chapter.name, err)
		}
		if err := s.awaitState(ctx, chapter.follow); err != nil {
			return fmt.Errorf("%s: %w", chapter.name, err)
		}
		if err := s.awaitQuiet(ctx); err != nil {
			return fmt.Errorf("%s: %w", chapter.name, err)
		}
		count := s.reconciler.started.Load() - before
		s.result.Reconciles[chapter.name] = count
		if count > objects*reconcilesMax {
			return fmt.Errorf("%s: a storm of %d reconciles for %d objects", chapter.name, count, objects)
		}
	}
	return s.verifyOwnersGone(ctx)
}

func (s *story) create(ctx context.Context) error {
	for number := range objects {
		owner := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("app-%d", number)},
			Data:       map[string]string{"replicas": "1"},
		}
		if err := s.client.Create(ctx, owner); err != nil {
			return err
		}
	}
	return nil
}

// deleteDeployments returns when none of the old ones is left; the operator makes new ones meanwhile.
func (s *story) deleteDeployments(ctx context.Context) error {
	found, err := s.deployments(ctx)
	if err != nil {
		return err
	}
	old := map[types.UID]bool{}
	for _, deployment := range found {
		old[deployment.UID] = true
		if err := s.client.Delete(ctx, &deployment); err != nil {
			return err
		}
	}
	return s.awaitState(ctx, func(found map[string]appsv1.Deployment) error {
		for name, deployment := range found {
			if old[deployment.UID] {
				return fmt.Errorf("%s is still the deleted one", name)
			}
		}
		return nil
	})
}

func (s *story) changeOwners(ctx context.Context) error {
	owners := &corev1.ConfigMapList{}
	if err := s.client.List(ctx, owners, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for i := range owners.Items {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"replicas":"3"}}`))
		if err := s.client.Patch(ctx, &owners.Items[i], patch); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) driftDeployments(ctx context.Context) error {
	found, err := s.deployments(ctx)
	if err != nil {
		return err
	}
	for _, deployment := range found {
		patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/replicas","value":7}]`))
		if err := s.client.Patch(ctx, &deployment, patch); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) deleteOwners(ctx context.Context) error {
	return s.client.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(s.namespace))
}

// verifyOwnersGone is the finalizers' end: an owner whose last finalizer was removed is deleted.
func (s *story) verifyOwnersGone(ctx context.Context) error {
	owners := &corev1.ConfigMapList{}
	if err := s.client.List(ctx, owners, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	if len(owners.Items) > 0 {
		return fmt.Errorf("%d ConfigMaps outlived their finalizers", len(owners.Items))
	}
	return nil
}

func (s *story) deployments(ctx context.Context) (map[string]appsv1.Deployment, error) {
	listed := &appsv1.DeploymentList{}
	if err := s.client.List(ctx, listed, client.InNamespace(s.namespace)); err != nil {
		return nil, err
	}
	found := map[string]appsv1.Deployment{}
	for _, deployment := range listed.Items {
		found[deployment.Name] = deployment
	}
	return found, nil
}

func (s *story) awaitState(ctx context.Context, follows func(map[string]appsv1.Deployment) error) error {
	var difference error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		found, err := s.deployments(ctx)
		if err != nil {
			return false, err
		}
		difference = follows(found)
		return difference == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w (%w)", err, difference)
	}
	return nil
}

// awaitQuiet is the steady state: for some seconds nothing is left to be reconciled.
func (s *story) awaitQuiet(ctx context.Context) error {
	last, since := s.reconciler.started.Load(), time.Now()
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		if now := s.reconciler.started.Load(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) >= quiet, nil
	})
}

func everyReplicas(want int32) func(map[string]appsv1.Deployment) error {
	return func(found map[string]appsv1.Deployment) error {
		if len(found) != objects {
			return fmt.Errorf("%d of %d deployments are there", len(found), objects)
		}
		for name, deployment := range found {
			if have := *deployment.Spec.Replicas; have != want {
				return fmt.Errorf("%s has %s replicas, not %d", name, strconv.Itoa(int(have)), want)
			}
			if owner := metav1.GetControllerOf(&deployment); owner == nil || owner.Name != name {
				return fmt.Errorf("%s has no controller of its name", name)
			}
		}
		return nil
	}
}

package main

import (
	_ "unsafe" // For linkname.

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
)

// What upstream keeps to itself is called all the same, so that nothing has to be told twice.

// class has the layout of upstream's allocProblemItem.
type class struct {
	Target float64 `json:"target"`
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
}

//go:linkname computeConcurrencyAllocation k8s.io/apiserver/pkg/util/flowcontrol.computeConcurrencyAllocation
func computeConcurrencyAllocation(requiredSum int, classes []class) ([]float64, float64, error)

//go:linkname matchesFlowSchema k8s.io/apiserver/pkg/util/flowcontrol.matchesFlowSchema
func matchesFlowSchema(digest utilflowcontrol.RequestDigest, schema *flowcontrolv1.FlowSchema) bool

//go:linkname hashFlowID k8s.io/apiserver/pkg/util/flowcontrol.hashFlowID
func hashFlowID(schema, distinguisher string) uint64

// Reads lines of JSON, each with a CustomResourceDefinition and a version, and tells how Kubernetes
// describes that version in OpenAPI, or which rows it prints of objects.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type question struct {
	Ask        string                                   `json:"ask"`
	Definition apiextensionsv1.CustomResourceDefinition `json:"definition"`
	Version    string                                   `json:"version"`
	Objects    []*unstructured.Unstructured             `json:"objects"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(answer(asked)); err != nil {
			panic(err)
		}
	}
}

func answer(asked question) any {
	switch asked.Ask {
	case "v3":
		options := builder.Options{IncludeSelectableFields: true}
		document, err := builder.BuildOpenAPIV3(&asked.Definition, asked.Version, options)
		return orError(document, err)
	case "v2":
		options := builder.Options{V2: true, IncludeSelectableFields: true}
		document, err := builder.BuildOpenAPIV2(&asked.Definition, asked.Version, options)
		return orError(document, err)
	default:
		return rows(asked)
	}
}

func orError(document any, err error) any {
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"document": document}
}

func rows(asked question) any {
	for _, version := range asked.Definition.Spec.Versions {
		if version.Name != asked.Version {
			continue
		}
		convertor, err := tableconvertor.New(version.AdditionalPrinterColumns)
		cells := [][]any{}
		for _, object := range asked.Objects {
			table, err := convertor.ConvertToTable(context.Background(), object, nil)
			if err != nil {
				return orError(nil, err)
			}
			cells = append(cells, table.Rows[0].Cells)
		}
		return map[string]any{"readable": err == nil, "cells": cells}
	}
	return map[string]any{"error": "no such version"}
}

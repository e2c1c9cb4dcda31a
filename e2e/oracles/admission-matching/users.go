package main

import (
	"os"

	"k8s.io/apiserver/pkg/util/webhook"
)

// As whom a webhook's server is asked, with this kubeconfig.
type userQuestion struct{ Kubeconfig, Server string }

type userAnswer struct {
	Token    string              `json:"token"`
	Username string              `json:"username"`
	Password string              `json:"password"`
	Cert     string              `json:"cert"`
	Key      string              `json:"key"`
	As       string              `json:"as"`
	Groups   []string            `json:"groups"`
	Extra    map[string][]string `json:"extra"`
}

func askUser(asked *userQuestion) answer {
	file, err := os.CreateTemp("", "kubeconfig")
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(asked.Kubeconfig); err != nil {
		return answer{Error: err.Error()}
	}
	file.Close()
	resolver, err := webhook.NewDefaultAuthenticationInfoResolver(file.Name())
	if err != nil {
		return answer{Error: err.Error()}
	}
	config, err := resolver.ClientConfigFor(asked.Server)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{User: &userAnswer{
		Token: config.BearerToken, Username: config.Username, Password: config.Password,
		Cert: string(config.CertData), Key: string(config.KeyData),
		As: config.Impersonate.UserName, Groups: config.Impersonate.Groups, Extra: config.Impersonate.Extra,
	}}
}

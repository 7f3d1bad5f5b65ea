package farm_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/heddle-go/heddle/farm"
)

// block returns the only block of deploy.md that begins with a fence of that language and has a
// text in it.
func block(t *testing.T, language, with string) string {
	t.Helper()
	text, err := os.ReadFile("deploy.md")
	require.NoError(t, err)
	var found []string
	for _, b := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(
		string(text), -1) {
		if b[1] == language && strings.Contains(b[2], with) {
			found = append(found, b[2])
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// composeFile has what the file may have: another key is an error.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Volumes     []string
		Ports       []string
		Restart     string
		Environment map[string]string
		Secrets     []string
		Deploy      struct{ Replicas int }
		Grace       time.Duration `yaml:"stop_grace_period"`
		DependsOn   []string      `yaml:"depends_on"`
	}
	Volumes map[string]struct{}
	Secrets map[string]struct{ File string }
}

// A site has a server as deploy.md says it is started, and what its users are given.
type site struct {
	url       string
	creds, ca string
}

// newSite starts the server of the compose file with its arguments. Of what they name, paths in the
// container are paths below a temporary directory.
func newSite(t *testing.T, compose composeFile) site {
	t.Helper()
	dir := t.TempDir()
	at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	require.NoError(t, os.MkdirAll(at("/etc/nats/tls"), 0o700))
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	cert, ca := certificate(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	require.NoError(t, err)
	write(at("/etc/nats/tls/server-key.pem"),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	text, err := os.ReadFile(ca)
	require.NoError(t, err)
	write(at("/etc/nats/tls/server.pem"), string(text))
	accounts, creds := operate(t)
	write(at("/etc/nats/accounts.conf"), accounts)
	conf := strings.ReplaceAll(block(t, "", "cert_file"), "/etc/nats", at("/etc/nats"))
	write(at("/etc/nats/nats.conf"), conf)
	s := site{creds: at("/worker.creds"), ca: ca}
	write(s.creds, creds)

	var args []string
	mounted := 0
	for _, a := range compose.Services["nats"].Command {
		for _, v := range compose.Services["nats"].Volumes {
			if in := strings.Split(v, ":")[1]; a == in || strings.HasPrefix(a, in+"/") {
				mounted++
				a = at(a)
			}
		}
		args = append(args, a)
	}
	require.Equal(t, 2, mounted, "the store and the configuration")
	fs := flag.NewFlagSet("nats-server", flag.ContinueOnError)
	o, err := server.ConfigureOptions(fs, args, nil, nil, nil)
	require.NoError(t, err)
	require.True(t, o.JetStream)
	o.Host, o.Port, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	srv, err := server.NewServer(o)
	require.NoError(t, err)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	require.True(t, srv.ReadyForConnections(time.Minute))
	s.url = srv.Addr().(*net.TCPAddr).String()
	return s
}

// operate returns what nsc generates: the configuration of the accounts, and the credentials of a
// user of one with JetStream.
func operate(t *testing.T) (conf, creds string) {
	t.Helper()
	pair := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		p, err := make()
		require.NoError(t, err)
		public, err := p.PublicKey()
		require.NoError(t, err)
		return p, public
	}
	operator, operatorKey := pair(nkeys.CreateOperator)
	_, systemKey := pair(nkeys.CreateAccount)
	account, accountKey := pair(nkeys.CreateAccount)
	user, userKey := pair(nkeys.CreateUser)
	sign := func(c jwt.Claims, with nkeys.KeyPair) string {
		text, err := c.Encode(with)
		require.NoError(t, err)
		return text
	}
	o := jwt.NewOperatorClaims(operatorKey)
	o.SystemAccount = systemKey
	a := jwt.NewAccountClaims(accountKey)
	a.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1}
	conf = fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\n"+
		"resolver_preload: {\n  %s: %s\n  %s: %s\n}\n", sign(o, operator), systemKey, systemKey,
		sign(jwt.NewAccountClaims(systemKey), operator), accountKey, sign(a, operator))
	seed, err := user.Seed()
	require.NoError(t, err)
	text, err := jwt.FormatUserConfig(sign(jwt.NewUserClaims(userKey), account), seed)
	require.NoError(t, err)
	return conf, string(text)
}

// runs starts a worker with arguments, in the environment of the process, and gives it a job.
func (s site) runs(t *testing.T, args []string, workers string) {
	t.Helper()
	require.Equal(t, "farm-worker", args[0])
	ctx, cancel := context.WithCancel(bg)
	end := make(chan error, 1)
	var log bytes.Buffer
	go func() { end <- farm.RunWorker(ctx, upper(), args[1:], &log) }()
	f := open(t, farm.Options{URL: "tls://" + s.url, Name: "heddle",
		NATS: []nats.Option{nats.UserCredentials(s.creds), nats.RootCAs(s.ca)}})
	got, err := farm.Call(start(t), f, "upper", farm.Bytes([]byte(workers)),
		farm.CallOptions{Version: "1", Where: farm.Remote}).Get(bg)
	require.NoError(t, err)
	require.Equal(t, strings.ToUpper(workers), string(got))
	require.Eventually(t, func() bool {
		status, err := f.Status(bg)
		return err == nil && len(status.Workers) == 1 &&
			strings.HasPrefix(status.Workers[0].ID, workers)
	}, time.Minute, 50*time.Millisecond)
	cancel()
	require.NoError(t, <-end, log.String())
}

// The compose file has only what the format has, refers to nothing that it does not have, and its
// server and worker do a job.
func TestDeployCompose(t *testing.T) {
	var c composeFile
	d := yaml.NewDecoder(strings.NewReader(block(t, "yaml", "services:")))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&c))
	for name, s := range c.Services {
		for _, on := range s.DependsOn {
			require.Contains(t, c.Services, on, name)
		}
		for _, secret := range s.Secrets {
			require.Contains(t, c.Secrets, secret, name)
		}
		for _, v := range s.Volumes {
			if from := strings.Split(v, ":")[0]; !strings.HasPrefix(from, "./") {
				require.Contains(t, c.Volumes, from, name)
			}
		}
		require.NotEmpty(t, s.Image, name)
	}
	for name, s := range c.Secrets {
		require.True(t, strings.HasPrefix(s.File, "./"), name)
	}
	require.Equal(t, "127.0.0.1:4222:4222", c.Services["nats"].Ports[0])

	at := newSite(t, c)
	w := c.Services["worker"]
	require.Greater(t, w.Grace, 10*time.Second, "that long a worker may take to put on record")
	secrets := map[string]string{"/run/secrets/farm_creds": at.creds, "/run/secrets/farm_ca": at.ca}
	known := []string{farm.EnvURL, farm.EnvCreds, farm.EnvCA}
	for name, value := range w.Environment {
		require.Contains(t, known, name)
		if name == farm.EnvURL {
			require.Equal(t, "tls://nats:4222", value)
			value = "tls://" + at.url
		} else {
			file := strings.TrimPrefix(value, "/run/secrets/")
			require.Contains(t, w.Secrets, file)
			value = secrets[value]
		}
		t.Setenv(name, value)
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	if len(host) > 32 || !regexp.MustCompile(`^[a-zA-Z0-9][-\w]*$`).MatchString(host) {
		host = "w"
	}
	at.runs(t, w.Command, host)
}

// The unit's command and environment start a worker that does a job, and systemd understands it.
func TestDeployUnit(t *testing.T) {
	unit := block(t, "ini", "[Service]")
	var compose composeFile
	require.NoError(t, yaml.Unmarshal([]byte(block(t, "yaml", "services:")), &compose))
	at := newSite(t, compose)
	values := func(key string) (all []string) {
		for line := range strings.Lines(unit) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
				all = append(all, value)
			}
		}
		return all
	}
	t.Setenv(farm.EnvURL, "tls://"+at.url) // both of them are in the EnvironmentFile
	t.Setenv(farm.EnvCA, at.ca)
	require.Equal(t, []string{farm.EnvCreds + "=%d/farm.creds"}, values("Environment"))
	require.Equal(t, []string{"farm.creds:/etc/farm/worker.creds"}, values("LoadCredential"))
	t.Setenv(farm.EnvCreds, at.creds)
	command := values("ExecStart")
	require.Len(t, command, 1)
	args := strings.Fields(strings.NewReplacer("%H", "host", "%i", "1").Replace(command[0]))
	at.runs(t, args[1:], "host-1")

	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("SYSTEMD_NEEDED") != "" {
			t.Fatal(err)
		}
		t.Skip("without systemd-analyze only the command of the unit is tested")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	verify := func(unit string) string {
		file := filepath.Join(t.TempDir(), "farm-worker@.service")
		text := strings.Replace(unit, args[0], self, 1)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
		var ours []string // it may have something to say of the machine
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "farm-worker@") {
				ours = append(ours, line)
			}
		}
		return strings.Join(ours, "")
	}
	require.Empty(t, verify(unit))
	wrong := strings.Replace(unit, "NoNewPrivileges", "NoNewPrivilege", 1)
	require.Contains(t, verify(wrong), "NoNewPrivilege", "a wrong unit is not noticed")
}

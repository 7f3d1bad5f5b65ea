package farm_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
)

// certificate makes one for this machine, which is its own authority, and returns it with the name
// of a file that has it.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(file, block, 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// A user has a key of its own and what it may do.
type user struct {
	pair nkeys.KeyPair
	nkey server.NkeyUser
}

func newUser(t *testing.T, publish, subscribe string) *user {
	t.Helper()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	return &user{pair, server.NkeyUser{Nkey: public, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: strings.Fields(publish)},
		Subscribe: &server.SubjectPermission{Allow: strings.Fields(subscribe)},
	}}}
}

func (u *user) option() nats.Option { return nats.Nkey(u.nkey.Nkey, u.pair.Sign) }

// With TLS and a key for each party, a caller and a worker have what they need with the permissions
// that the threat model lists, which keep the worker from queueing jobs; without a key, or without
// the authority's certificate, nobody gets in.
func TestPartiesWithPermissions(t *testing.T) {
	const (
		both      = "$JS.API.> $JS.ACK.> $KV.heddle-results.> $KV.heddle-tries.> $O.heddle-content.> "
		subscribe = "_INBOX.> heddle.cancel.* heddle.worker.* heddle.done.*"
	)
	maker := newUser(t, ">", ">")
	caller := newUser(t, both+"heddle.job.> heddle.cancel.*", subscribe)
	worker := newUser(t, both+"heddle.dead heddle.dead.> heddle.worker.>", subscribe)
	cert, ca := certificate(t)
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		TLS: true, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}},
		Nkeys: []*server.NkeyUser{&maker.nkey, &caller.nkey, &worker.nkey}})
	require.NoError(t, err)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	require.True(t, srv.ReadyForConnections(time.Minute))
	as := func(opts ...nats.Option) farm.Options {
		o := quick(newHistory())
		o.URL, o.NATS = "tls://"+srv.Addr().String(), opts
		return o
	}

	_, err = farm.Open(bg, as(maker.option()))
	require.ErrorContains(t, err, "certificate")
	_, err = farm.Open(bg, as(nats.RootCAs(ca)))
	require.ErrorIs(t, err, nats.ErrAuthorization)

	require.NoError(t, open(t, as(nats.RootCAs(ca), maker.option())).Close())
	work(t, open(t, as(nats.RootCAs(ca), worker.option())), upper(), farm.WorkOptions{Slots: 1})
	f, sys := open(t, as(nats.RootCAs(ca), caller.option())), start(t)
	for _, n := range []int{10, 300_000} { // in a message, and in the store
		in := strings.Repeat("x", n)
		got, err := farm.Call(sys, f, "upper", farm.Bytes([]byte(in)),
			farm.CallOptions{Version: "1", Where: farm.Remote}).Get(bg)
		require.NoError(t, err)
		require.Equal(t, strings.ToUpper(in), string(got))
	}

	refused := make(chan error, 1)
	nc, err := nats.Connect("tls://"+srv.Addr().String(), nats.RootCAs(ca), worker.option(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, nc.Publish("heddle.job.normal.upper.1.x", nil))
	require.ErrorIs(t, <-refused, nats.ErrPermissionViolation)
}

// A server that has just started may take connections before it has JetStream: who opens the farm
// then waits for that.
func TestOpenBeforeJetStream(t *testing.T) {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoLog: true, NoSigs: true})
	require.NoError(t, err)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	require.True(t, srv.ReadyForConnections(time.Minute))
	opened := make(chan error, 1)
	go func() {
		f, err := farm.Open(bg, farm.Options{URL: srv.ClientURL()})
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	require.Eventually(t, func() bool {
		v, err := srv.Varz(nil)
		return err == nil && v.InMsgs > 0 // it asks, and nobody answers
	}, time.Minute, time.Millisecond)
	require.NoError(t, srv.EnableJetStream(&server.JetStreamConfig{StoreDir: t.TempDir()}))
	require.NoError(t, <-opened)
}
